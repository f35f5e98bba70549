"""What a test asks of the kernel's own driver, an object of the JVM."""

from __future__ import annotations

from typing import Protocol


class FunctionCall(Protocol):
    """A call of a Python function, which the kernel waits for."""

    def function(self) -> str:
        """The name of the function."""

    def arguments(self) -> bytes:
        """What it is called with."""


class KernelDriver(Protocol):
    """A plan that runs in memory; what goes in and comes out is JSON."""

    def pipe(self, batch: str, /) -> str:
        """Run a batch; the records that it wrote."""

    def clock(self, now: int, /) -> str:
        """Set the wall clock; the records that this wrote."""

    def begin(self, batch: str, /) -> None:
        """Begin a batch that calls functions."""

    def beginClock(self, now: int, /) -> None:
        """Begin to set the wall clock, where functions are called."""

    def next(self) -> str | FunctionCall:
        """The records that were written, or a call before there are any."""

    def answer(self, result: bytes, /) -> None:
        """Give the result of a call."""

    def ask(self, question: bytes, /) -> bytes:
        """Ask what a function wants to know while it runs."""

    def limit(self, most: int, /) -> None:
        """Set how many bytes a record may have."""

    def store(self, name: str, /) -> str:
        """The entries of a store."""

    def versions(self, name: str, key: str, /) -> str:
        """The versions of a key's value."""

    def measured(self) -> str:
        """What the nodes have counted since the beginning, by kind and node."""

    def lateRecords(self) -> str:
        """The records that came after their window had closed, since the last call."""

    def printed(self) -> str:
        """The lines of print nodes since the last call."""

    def crash(self) -> None:
        """Drop everything in memory."""

    def crashInNextBatch(self) -> None:
        """Do so when the next batch is done and not committed."""

    def restarted(self, plan: str, /) -> KernelDriver:
        """A driver with this state and another plan."""
