"""Waiting for what another thread or process does."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
_SHOWN = 1_000


def eventually(
    look: Callable[[], T], until: Callable[[T], object] = bool, seconds: float = 60, every: float = 0.05, what: str = ""
) -> T:
    """Look again and again until what is seen will do, and give it; say in time what was waited for and what was seen.

    `until` says whether it will do, `what` in words what it is; otherwise the lines of code say it.
    """
    deadline = time.monotonic() + seconds
    while not until(seen := look()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s for {what or _code(look, until)}; seen last: {_short(seen)}")
        time.sleep(every)
    return seen


def _code(*functions: Callable[..., object]) -> str:
    """The lines where they stand, each once."""
    return " ".join(dict.fromkeys(line for each in functions if each is not bool for line in _lines(each)))


def _lines(function: Callable[..., object]) -> list[str]:
    try:
        return [line.strip() for line in inspect.getsource(function).splitlines()]
    except (OSError, TypeError):
        return [getattr(function, "__qualname__", repr(function))]


def _short(seen: object) -> str:
    text = seen if isinstance(seen, str) else repr(seen)
    return text if len(text) <= _SHOWN else f"…{text[-_SHOWN:]}"
