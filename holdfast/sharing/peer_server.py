"""Answers the questions of other servers, from what is held here and nothing else: no question is passed on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from itertools import islice

import anyio
import msgspec
from anyio import to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from holdfast.sharing import wire
from holdfast.sharing.held_share import HeldShare
from holdfast.sharing.parts import LocalPart
from holdfast.sharing.shared_snapshot import SharedSnapshot, is_of_timeline
from holdfast.sharing.wire import Answer, Question
from holdfast.stores.catalog import Catalog, StoreNotReady
from holdfast.stores.keys import Bounds
from holdfast.stores.snapshot import Snapshot

_WAIT = 1.0
_ROWS = 1000
_BYTES = 2 << 20
_LARGEST = 2 << 20
_THREADS = 64

log = logging.getLogger("holdfast.sharing")
Held = Callable[[int, int], "HeldShare | None"]
"""A share of so many, if it is held here."""


class Refused(Exception):
    """It is not held here, or not at that epoch; `epoch` is the one that is there."""

    def __init__(self, why: str, epoch: int | None = None) -> None:
        super().__init__(why)
        self.epoch = epoch


class PeerService:
    """The questions of others, answered in a thread that calls."""

    def __init__(self, held: Held) -> None:
        self._held = held

    def answer(self, question: Question) -> Answer:
        """The answer, or why there is none."""
        log.debug("%s of %s for %r", question.operation, question.store, question.caller)
        try:
            with ExitStack() as leases:
                catalog, parts = self._parts(question, leases)
                return _read(question, SharedSnapshot(catalog, None, parts, None, question.of, {}, leases))
        except Refused as why:
            return Answer(refused=str(why), epoch=why.epoch)

    def _parts(self, question: Question, leases: ExitStack) -> tuple[Catalog, dict[int, LocalPart]]:
        catalog, parts = None, dict[int, LocalPart]()
        for number in question.shares:
            held = self._held(number, question.of)
            if held is None:
                raise Refused(f"share {number} is not held here")
            snapshot = _snapshot(held, question, leases)
            catalog = held.follower.catalog
            try:
                if (
                    catalog.store(question.store).at(snapshot)
                    and snapshot.meta(f"types:{question.store}") != question.types
                ):
                    raise Refused(f"store {question.store} has other types here")
            except StoreNotReady as error:
                raise Refused(str(error)) from None
            parts[number] = LocalPart(number, snapshot)
        if catalog is None:
            raise Refused("no share was asked for")
        return catalog, parts


def _snapshot(held: HeldShare, question: Question, leases: ExitStack) -> Snapshot:
    epoch = question.epoch
    if epoch is None:
        return leases.enter_context(held.replica.reading())
    held.recent.await_epoch(epoch, 0 if question.hurried else _WAIT)
    snapshot = leases.enter_context(held.recent.reading(epoch))
    if snapshot is None:
        newest = held.recent.newest
        raise Refused(f"share {held.share.number} is at epoch {newest} there, and not at {epoch}", newest)
    if not is_of_timeline(snapshot, question.timeline):
        raise Refused(f"share {held.share.number} is in another timeline there")
    return snapshot


def _read(question: Question, snapshot: SharedSnapshot) -> Answer:
    store = question.store
    match question.operation:
        case "get":
            return Answer(values=[snapshot.get(store, key) for key in question.keys])
        case "scan":
            return _page(question, snapshot)
        case "versions":
            return Answer(versions=list(snapshot.versions(store, question.keys[0], question.time)))
        case "count":
            return Answer(number=snapshot.count(store))
        case "size":
            return Answer(number=snapshot.size(store))
    raise Refused(f"{question.operation} is not known here")


def _page(question: Question, snapshot: SharedSnapshot) -> Answer:
    rows: list[tuple[bytes, bytes]] = []
    size = 0
    found = snapshot.scan(question.store, Bounds(question.low, question.high), reverse=question.reverse)
    for row in islice(found, _ROWS):
        rows.append(row)
        size += len(row[0]) + len(row[1])
        if size > _BYTES:
            break
    return Answer(rows=rows, more=len(rows) == _ROWS or size > _BYTES)


def build(service: PeerService, secret: str) -> ASGIApp:
    """The ASGI application that other servers ask; it answers nobody who does not know the secret."""
    key = secret.encode()
    limiter: anyio.CapacityLimiter | None = None

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal limiter
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        signature = headers.get(wire.SIGNATURE.encode(), b"").decode(errors="replace")
        body = await _body(receive)
        try:
            if body is None or scope["path"] != wire.PATH:
                raise wire.WrongSignature("this is asked by servers of the app only")
            wire.check(key, body, signature)
            question = wire.question(body)
        except (wire.WrongSignature, msgspec.DecodeError) as error:
            log.warning("refused: a question of another server, from %s: %s", (scope.get("client") or "?")[0], error)
            await _reply(send, 403, str(error).encode(), "")
            return
        limiter = limiter or anyio.CapacityLimiter(_THREADS)
        answer = wire.encode(await to_thread.run_sync(service.answer, question, limiter=limiter))
        await _reply(send, 200, answer, wire.sign(key, answer, signature))

    return app


async def _body(receive: Receive) -> bytes | None:
    """The body; None if it is too large or was not sent."""
    found: bytes = b""
    while True:
        message = await receive()
        found += message.get("body", b"")
        if message["type"] != "http.request" or len(found) > _LARGEST:
            return None
        if not message.get("more_body"):
            return found


async def _reply(send: Send, status: int, body: bytes, signature: str) -> None:
    headers = [(b"content-length", b"%d" % len(body)), (wire.SIGNATURE.encode(), signature.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
