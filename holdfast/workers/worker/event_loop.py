"""The event loop of a process: it lives as long as the process, so that clients made on it can be kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
_this_thread = threading.local()
_other_thread = ThreadPoolExecutor(1, thread_name_prefix="holdfast-loop")


def run(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end; where a loop runs already, as in a notebook, on another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run_on_this_thread(coroutine)
    return _other_thread.submit(_run_on_this_thread, coroutine).result()


def _run_on_this_thread(coroutine: Coroutine[object, object, T]) -> T:
    if not hasattr(_this_thread, "runner"):
        _this_thread.runner = asyncio.Runner()
    made: T = _this_thread.runner.run(coroutine)
    return made
