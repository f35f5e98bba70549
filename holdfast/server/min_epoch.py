"""`?min_epoch=`: an answer that is no older than an epoch, or none."""

from __future__ import annotations

import asyncio
import time

from starlette.requests import Request

from holdfast.server.responses import Refusal
from holdfast.stores.backend import Stores

PARAMETER = "min_epoch"
TIMEOUT = 10.0
_POLL = 0.01


def is_accepted(request: Request) -> bool:
    """Whether the path is one of those that read stores."""
    path: str = request.scope["path"]
    return path in ("/stores", "/sql") or path.startswith("/stores/")


async def for_epoch(request: Request, stores: Stores) -> None:
    """Wait until the replica has the epoch that a request asks for, but not for ever."""
    given = request.query_params.getlist(PARAMETER)
    if len(given) != 1 or not is_accepted(request):
        return
    wanted, deadline = _number(given[0]), time.monotonic() + TIMEOUT
    while (here := _epoch(stores)) is None or here < wanted:
        if time.monotonic() > deadline:
            raise _late(wanted, here, stores)
        await asyncio.sleep(_POLL)


def _epoch(stores: Stores) -> int | None:
    with stores.replica.reading() as snapshot:
        return snapshot.epoch


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        hint = "it is the Holdfast-Epoch of an answer, or an epoch of the app's progress"
        raise Refusal(400, "bad_parameter", f"min_epoch is a number from 0 on; got {text[:40]!r}", hint)
    return int(text)


def _late(wanted: int, here: int | None, stores: Stores) -> Refusal:
    at = "between two epochs" if here is None else f"at epoch {here}"
    running = stores.catalog.epoch if stores.catalog.epoch_offsets is not None else None
    hint = (
        f"the app has ended epoch {running}; ask again"
        if running is not None and running >= wanted
        else ("the app has not ended that epoch yet; ask again, or without min_epoch")
    )
    return Refusal(504, "epoch_not_reached", f"epoch {wanted} was not reached in {TIMEOUT:g} s: the copy is {at}", hint)
