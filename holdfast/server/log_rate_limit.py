"""Log lines of one kind are limited, and those left out are counted: a flood of requests must not fill the disk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

LOGGERS = ("holdfast.server", "holdfast.sharing", "holdfast.stores", "uvicorn.error", "asyncio")
LINES = 5
WINDOW = 60.0

Key = tuple[str, int, str]


class LogRateLimit(logging.Filter):
    """Lets some lines of each kind pass in a minute; then logs how many were left out."""

    def __init__(self, lines: int = LINES, window: float = WINDOW, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._lines = lines
        self._window = window
        self._clock = clock
        self._seen: dict[Key, tuple[float, int]] = {}
        self._lock = threading.Lock()
        self._users = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is written."""
        if getattr(record, "of_rate_limit", False):
            return True
        # Of several lines the first is what happened, and the others are the details.
        key = (record.name, record.levelno, str(record.msg).partition("\n")[0])
        with self._lock:
            began, count = self._seen.get(key, (self._clock(), 0))
            self._seen[key] = (began, count + 1)
        return count < self._lines

    def flush(self, everything: bool = False) -> None:
        """Log what was left out since its time began, and begin again."""
        now = self._clock()
        with self._lock:
            over = {key: seen for key, seen in self._seen.items() if everything or now - seen[0] >= self._window}
            for key in over:
                del self._seen[key]
        for (name, level, text), (began, count) in over.items():
            if count > self._lines:
                summary = "%d more lines like this were left out in %.0f s: %s"
                mark = {"of_rate_limit": True}
                logging.getLogger(name).log(level, summary, count - self._lines, now - began, text, extra=mark)

    def attach(self) -> None:
        """Filter what a server and the libraries under it log."""
        with self._lock:
            self._users += 1
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self)

    def detach(self) -> None:
        """Log what was left out, and filter no more when no other server does."""
        self.flush(everything=True)
        with self._lock:
            self._users -= 1
            left = self._users
        for name in () if left else LOGGERS:
            logging.getLogger(name).removeFilter(self)


# Loggers are the process's, and so is what was seen of them.
LOG_RATE_LIMIT = LogRateLimit()
