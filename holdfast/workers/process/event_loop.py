"""The event loop of the process: it lives as long as the process, so that async clients can be reused."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Coroutine
from concurrent import futures
from typing import TypeVar

T = TypeVar("T")
_this_thread = threading.local()
_other_thread = futures.ThreadPoolExecutor(1, thread_name_prefix="holdfast-loop")


def run(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end; where a loop runs already, as in a notebook, on another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run_on_this_thread(coroutine)
    return _other_thread.submit(_run_on_this_thread, coroutine).result()


async def answer_of(asked: Awaitable[T]) -> T:
    """What is awaited. If it was cancelled while nobody has cancelled the call, that is a failure like any other."""
    try:
        return await asked
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise futures.CancelledError(*error.args).with_traceback(error.__traceback__) from None


def _run_on_this_thread(coroutine: Coroutine[object, object, T]) -> T:
    if not hasattr(_this_thread, "runner"):
        _this_thread.runner = asyncio.Runner()
    made: T = _this_thread.runner.run(coroutine)
    return made
