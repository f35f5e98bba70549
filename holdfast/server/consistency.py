"""What a read may ask for: no older than an epoch or a session, or everything that was published a moment ago."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, replace

from starlette.requests import Request

from holdfast.errors import HoldfastError
from holdfast.server.freshness import Freshness
from holdfast.server.responses import Refusal
from holdfast.stores.backend import Stores
from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.session_token import HEADER, SessionToken
from holdfast.stores.snapshot import Snapshot
from holdfast.units.duration import milliseconds

MIN_EPOCH, MAX_STALENESS = "min_epoch", "max_staleness"
PARAMETERS = (MIN_EPOCH, MAX_STALENESS)
TIMEOUT = 10.0
_POLL = 0.01
_SHOWN = 5
_AGAIN = "ask again, or without the session: what is read then is another history, with epochs from 0 on"


@dataclass(frozen=True)
class Requirement:
    """What an answer has to show."""

    min_epoch: int | None = None
    session: SessionToken = SessionToken()  # noqa: RUF009  (frozen)
    newest: EpochPosition | None = None

    def is_met(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot shows it; refused if none ever will."""
        position = snapshot.position
        if position is not None and self.session.is_shown_by(position):
            is_recent = self.min_epoch is None or position.epoch >= self.min_epoch
            return is_recent and (self.newest is None or _is_at(position, self.newest))
        if self.session.timeline in snapshot.past_timelines:
            raise history_gone(self.session)
        return False

    def check(self, snapshot: Snapshot) -> None:
        """Refuse a snapshot that does not show it: a store may be read again from its topic since it was waited for."""
        if self != _NOTHING and not self.is_met(snapshot):
            raise Refusal(503, "not_ready", "the copy is being built again", "ask again")


_NOTHING = Requirement()


def is_accepted(request: Request) -> bool:
    """Whether the path is one of those that read stores, whose parameters are ours."""
    path: str = request.scope["path"]
    return path in ("/stores", "/sql", "/sql/changes") or path.startswith("/stores/")


async def reach(request: Request, stores: Stores) -> Requirement:
    """Wait until the replica shows what a request asks for, but not for ever."""
    wanted, staleness = _requirement(request), _staleness(request)
    if staleness is None and wanted == _NOTHING:
        return wanted
    deadline = time.monotonic() + TIMEOUT
    if staleness is not None:
        freshness: Freshness = request.app.state.freshness
        _refuse_live(stores)
        wanted = replace(wanted, newest=await freshness.newest(staleness, deadline))
    while True:
        with stores.replica.reading() as snapshot:
            if wanted.is_met(snapshot):
                return wanted
            here = snapshot.position
        _refuse_live(stores)
        if time.monotonic() > deadline:
            raise _late(wanted, here, stores)
        await asyncio.sleep(_POLL)


def session_of(text: str) -> SessionToken:
    """A token that a request brings."""
    try:
        return SessionToken.read(text)
    except ValueError as error:
        hint = f"send {HEADER} of an answer as it is, and leave it out with the first request"
        raise Refusal(400, "bad_session", str(error), hint) from None


def history_gone(session: SessionToken) -> Refusal:
    """The app has begun again from nothing."""
    what = f"the app has begun again from nothing: epoch {session.epoch} of {session.timeline} is none of its own"
    return Refusal(410, "history_gone", what, _AGAIN)


def _requirement(request: Request) -> Requirement:
    given = request.query_params.getlist(MIN_EPOCH) if is_accepted(request) else []
    session = session_of(request.headers.get(HEADER, ""))
    return Requirement(_number(given[0]) if len(given) == 1 else None, session)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        hint = "it is the Holdfast-Epoch of an answer, or an epoch of the app's progress"
        raise Refusal(400, "bad_parameter", f"min_epoch is a number from 0 on; got {text[:40]!r}", hint)
    return int(text)


def _staleness(request: Request) -> float | None:
    """Seconds; None if there is no such parameter, or several, which is refused where all of them are looked at."""
    given = request.query_params.getlist(MAX_STALENESS) if is_accepted(request) else []
    if len(given) != 1:
        return None
    try:
        return milliseconds(given[0], MAX_STALENESS) / 1000
    except HoldfastError as error:
        hint = "0s: all that is published when the request comes"
        raise Refusal(400, "bad_parameter", str(error), hint) from None


def _is_at(position: EpochPosition, newest: EpochPosition) -> bool:
    """Whether an epoch is not before another one, which was the newest: what is not of its timeline came later."""
    if position.timeline == newest.timeline:
        return position.epoch >= newest.epoch
    return newest.epoch < 0 <= position.epoch


def _unread(session: SessionToken, here: EpochPosition) -> list[tuple[Partition, int]]:
    return [(p, offset) for p, offset in session.writes.items() if here.read.get(p, 0) <= offset]


def _refuse_live(stores: Stores) -> None:
    if stores.catalog.live:
        why = "the app runs in real-time mode, which has no epochs"
        raise Refusal(409, "no_epochs", why, "read without min_epoch, max_staleness and session, or run it in epochs")


def _late(wanted: Requirement, here: EpochPosition | None, stores: Stores) -> Refusal:
    newest, session = stores.catalog.position, wanted.session
    if here is not None and here == newest and session.timeline not in (None, here.timeline):
        return history_gone(session)  # of a timeline that this replica has never seen
    at = "between two epochs" if here is None or here.epoch < 0 else f"at epoch {here.epoch}"
    if here is not None and (unread := [f"{p.topic} {p.number} to {o}" for p, o in _unread(session, here)]):
        what = f"the app has not read in {TIMEOUT:g} s: {', '.join(unread[:_SHOWN])}; the copy is {at}"
        return Refusal(504, "epoch_not_reached", what, "see GET /health for its lag, and whether it reads these topics")
    epoch = max(wanted.min_epoch or 0, session.epoch, wanted.newest.epoch if wanted.newest else 0)
    has_ended = newest is not None and newest.epoch >= epoch
    hint = (
        f"the app has ended epoch {newest.epoch if newest else epoch}; ask again"
        if has_ended
        else "the app has not ended that epoch yet; ask again, or without min_epoch"
    )
    return Refusal(504, "epoch_not_reached", f"epoch {epoch} was not reached in {TIMEOUT:g} s: the copy is {at}", hint)
