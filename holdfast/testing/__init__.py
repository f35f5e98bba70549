"""The test kit: an app on the real kernel, without a broker and without a streaming query."""

from holdfast.testing.driver import Driver
from holdfast.testing.records import DeadLetter, LateRecord, Record

__all__ = ["DeadLetter", "Driver", "LateRecord", "Record"]
