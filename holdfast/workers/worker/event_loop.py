"""The event loop of a process: it lives as long as the process, so that clients made on it can be kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
_mine = threading.local()
_beside = ThreadPoolExecutor(1, thread_name_prefix="holdfast-loop")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; where a loop runs already, as in a notebook, on a thread beside it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _here(coroutine)
    return _beside.submit(_here, coroutine).result()


def _here(coroutine: Coroutine[Any, Any, T]) -> T:
    if not hasattr(_mine, "runner"):
        _mine.runner = asyncio.Runner()
    made: T = _mine.runner.run(coroutine)
    return made
