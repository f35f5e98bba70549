"""What the app had published at a moment: the broker is asked, once for all requests that want to know.

Only this machine's monotonic clock is read, and only for how long ago the broker was asked. So no clock of another
machine counts, neither the app's nor the broker's.
"""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from confluent_kafka import KafkaException

from holdfast.server.responses import Refusal
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.follower import Follower

_POLL = 0.005
_RETRY = 0.2


class _Known(NamedTuple):
    asked: float  # before the request went to the broker
    newest: EpochPosition | None


class Freshness:
    """The newest epoch that was published, and when it was; used in one event loop."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._known: _Known | None = None
        self._asking: asyncio.Task[None] | None = None

    async def newest(self, staleness: float, deadline: float) -> EpochPosition | None:
        """An epoch that was the newest one at most so many seconds ago; None if there was none yet."""
        since = time.monotonic() - staleness
        while self._known is None or self._known.asked < since:
            if self._asking is None or self._asking.done():
                self._asking = asyncio.get_running_loop().create_task(self._ask())
            done, _ = await asyncio.wait({self._asking}, timeout=max(0.0, deadline - time.monotonic()))
            if not done:
                raise _stale(self._known)
            if error := self._asking.exception():
                if not isinstance(error, KafkaException | TimeoutError):
                    raise error
                await asyncio.sleep(_RETRY)
        return self._known.newest

    async def _ask(self) -> None:
        asked = time.monotonic()
        end = await asyncio.to_thread(self._follower.measure_meta)
        while self._follower.meta_offset < end:
            await asyncio.sleep(_POLL)
        self._known = _Known(asked, self._follower.catalog.position)


def _stale(known: _Known | None) -> Refusal:
    ago = "never" if known is None else f"{time.monotonic() - known.asked:.1f} s ago"
    hint = "the broker does not answer, or what it has cannot be read: see GET /health; or ask without max_staleness"
    return Refusal(504, "too_stale", f"when this copy was last known to be fresh: {ago}", hint)
