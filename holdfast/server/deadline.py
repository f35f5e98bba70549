"""Answers that come in time, or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from holdfast.server.responses import Refusal

T = TypeVar("T")


async def within(seconds: float, work: Awaitable[T], cancel: bool) -> T:
    """What the work gives, if it does so in time.

    Work that runs in a thread cannot be cancelled: it goes on, with the snapshot it reads, and nobody waits for it.
    """
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        task.cancel()
        raise
    if done:
        return task.result()
    if cancel:
        task.cancel()
    raise Refusal(503, "too_slow", f"there was no answer within {seconds:g} s", "ask for less, or later")
