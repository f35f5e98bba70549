"""`GET /stores/{store}/changes`: a subscription as server-sent events, or as a JSON object per line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from holdfast.server import min_epoch, pages
from holdfast.server.handlers import RequestContext, encoded_keys
from holdfast.server.request_meter import LATER, RequestMeter
from holdfast.server.responses import Refusal
from holdfast.server.rights import Rights
from holdfast.server.subscriptions import HistoryGone, Selection, Subscriptions, Update
from holdfast.stores import values
from holdfast.stores.catalog import Store

NAMES = ("key", "from", "to", "prefix", "after")
_EVENTS, _LINES = "text/event-stream", "application/x-ndjson"
_LAST = "last-event-id"
_BEAT = 15.0


def selection(store: Store, request: Request) -> Selection:
    """What the parameters ask for: keys, or a range."""
    keys = request.query_params.getlist("key")
    rest = [
        (name, value) for name, value in request.query_params.multi_items() if name not in ("key", min_epoch.PARAMETER)
    ]
    given = pages.parameters(rest, NAMES)
    if keys and given.keys() & {"from", "to", "prefix"}:
        raise Refusal(400, "bad_parameter", "key and a range are both given", "give key=, or from=, to= and prefix=")
    return Selection(store, frozenset(encoded_keys(store, keys)), pages.page(store, _range(given)).bounds)


def after(request: Request) -> int | None:
    """The epoch after which to go on: of the event that came last, or of the parameter."""
    text = request.headers.get(_LAST) or request.query_params.get("after")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Refusal(400, "bad_parameter", f"{text[:40]!r} is no epoch", "it is the id of the last event, a number")
    return int(text)


def answer(context: RequestContext, subscriptions: Subscriptions) -> Response:
    """`GET /stores/{store}/changes`"""
    store, request, service = context.store(), context.request, context.service
    wanted, begin = selection(store, request), after(request)
    _permit(context.rights, wanted)
    if context.stores.catalog.live:
        hint = "read the store now and then, or run the app in epochs"
        raise Refusal(409, "no_epochs", "the app runs in real-time mode, which has no epochs to follow", hint)
    if begin is not None:
        subscriptions.check(begin)
    if subscriptions.count >= service.limits.subscribers:
        raise Refusal(503, "busy", f"{subscriptions.count} subscribers are served already", LATER)
    is_lines = _LINES in request.headers.get("accept", "")
    if request.method == "HEAD":  # there is nothing to wait for
        return Response(media_type=_LINES if is_lines else _EVENTS)
    is_permitted = partial(service.holds, context.rights)
    stream = _stream(subscriptions, wanted, begin, is_lines, is_permitted)
    return _Subscription(stream, is_lines, service.requests)


def _permit(rights: Rights, wanted: Selection) -> None:
    """Refuse to watch what may not be read."""
    for key in wanted.keys:
        rights.require_key(wanted.store, key)
    if not wanted.keys:
        rights.require_bounds(wanted.store, wanted.bounds)


class _Subscription(StreamingResponse):
    """The events as they come; as long as they do, it is no request that is being answered."""

    def __init__(self, stream: AsyncIterator[bytes], is_lines: bool, requests: RequestMeter) -> None:
        self._requests = requests
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(stream, media_type=_LINES if is_lines else _EVENTS, headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._requests.now -= 1
        self._requests.subscribers += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._requests.now += 1
            self._requests.subscribers -= 1


async def _stream(
    subscriptions: Subscriptions, wanted: Selection, begin: int | None, is_lines: bool, is_permitted: Callable[[], bool]
) -> AsyncIterator[bytes]:
    updates = subscriptions.follow(wanted, begin)
    waiting: asyncio.Future[Update] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(updates))
            done, _ = await asyncio.wait({waiting}, timeout=_BEAT)
            if not is_permitted():  # whoever comes back hears why
                return
            if not done:
                yield b"\n" if is_lines else b":\n\n"  # whoever is gone is noticed
                continue
            update, waiting = waiting.result(), None
            yield update.to_json() + b"\n" if is_lines else _event(update)
    except StopAsyncIteration:  # the server stops; whoever wants to comes back with the last id
        waiting = None
    except HistoryGone as gone:
        said = values.dumps({"error": {"code": gone.code, "message": str(gone), "hint": gone.hint}})
        yield said + b"\n" if is_lines else b"event: error\ndata: " + said + b"\n\n"
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait({waiting})
        await updates.aclose()


def _event(update: Update) -> bytes:
    data = b"data: " + update.to_json() + b"\n\n"
    return b"event: snapshot\n" + data if update.epoch is None else b"event: epoch\nid: %d\n" % update.epoch + data


def _range(given: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name in ("from", "to", "prefix")}
