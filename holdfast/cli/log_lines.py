"""The form of a log line, which is that of logs/spark.log, too: time, level, logger, message."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from holdfast.cli.output import json_line, readable

_LEVELS = ((logging.CRITICAL, "FATAL"), (logging.ERROR, "ERROR"), (logging.WARNING, "WARN"), (logging.INFO, "INFO"))


def level_name(level: int) -> str:
    """The name of a level of Python's, as Java's logs call it.

    >>> [level_name(level) for level in (logging.DEBUG, logging.WARNING, logging.ERROR)]
    ['DEBUG', 'WARN', 'ERROR']
    """
    return next((name for least, name in _LEVELS if level >= least), "DEBUG")


def text_line(time: float, level: int, logger: str, message: str) -> str:
    r"""A line for people; what came in requests and records is escaped, so that a terminal obeys nothing of it.

    >>> text_line(0, logging.WARNING, "holdfast.stores", "a\x1b[2J")
    '1970-01-01T00:00:00.000Z WARN  holdfast.stores: a\\x1b[2J'
    """
    return f"{_text(time)} {level_name(level):<5} {logger}: {readable(message, lines=True)}"


def object_line(time: float, level: int, logger: str, message: str, more: Mapping[str, object]) -> str:
    """The same as JSON, with more fields for programs.

    >>> object_line(0, logging.INFO, "holdfast.cli", "progress", {"epoch": 3})
    '{"time":"1970-01-01T00:00:00.000Z","level":"INFO","logger":"holdfast.cli","message":"progress","epoch":3}'
    """
    return json_line({"time": _text(time), "level": level_name(level), "logger": logger, "message": message, **more})


class LogFormatter(logging.Formatter):
    """What Python logs, in that form; the fields of a line of JSON come as `extra={"fields": …}`."""

    def __init__(self, machine: bool = False) -> None:
        super().__init__()
        self._machine = machine

    def format(self, record: logging.LogRecord) -> str:
        """The line, and those of a traceback."""
        line = record.created, record.levelno, record.name, super().format(record)
        return object_line(*line, getattr(record, "fields", {})) if self._machine else text_line(*line)


def _text(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
