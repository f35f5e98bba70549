"""How long a query may take, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from holdfast.server.responses import Refusal


class Deadline:
    """The end of a query's time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Refuse to go on when the time is over."""
        if time.monotonic() > self._end:
            raise self.refusal()

    def refusal(self) -> Refusal:
        """What is answered when the time is over."""
        hint = (
            "ask for less: conditions on keys are read from the store directly, and what was read is kept for a while"
        )
        return Refusal(503, "too_slow", f"the query took longer than the {self._seconds:g} s that it may take", hint)

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Interrupt what runs inside when the time is over, and again until it has ended."""
        over = threading.Event()

        def watch() -> None:
            wait = max(0.0, self._end - time.monotonic())
            while not over.wait(wait):
                interrupt()
                wait = 0.1

        watcher = threading.Thread(target=watch, name="holdfast-sql-deadline", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
