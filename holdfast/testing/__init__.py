"""The test kit: an app on the real kernel, without a broker and without a streaming query."""

from holdfast.testing.driver import DeadLetter, Driver, Record

__all__ = ["DeadLetter", "Driver", "Record"]
