"""`GET /stores/{store}/changes`: a subscription as server-sent events, or as a JSON object per line."""

from __future__ import annotations

import contextlib
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from holdfast.server import consistency, pages
from holdfast.server.events import EventResponse, media_type
from holdfast.server.handlers import RequestContext, encoded_keys
from holdfast.server.request_meter import LATER
from holdfast.server.responses import Refusal
from holdfast.server.rights import Rights
from holdfast.server.shared_reads import refuse_shared
from holdfast.server.subscriptions import Selection, Subscriptions
from holdfast.stores.catalog import Store
from holdfast.stores.session_token import SessionToken

NAMES = ("key", "from", "to", "prefix", "after")
_LAST = "last-event-id"


def selection(store: Store, request: Request) -> Selection:
    """What the parameters ask for: keys, or a range."""
    keys = request.query_params.getlist("key")
    waited = ("key", *consistency.PARAMETERS)
    rest = [(name, value) for name, value in request.query_params.multi_items() if name not in waited]
    given = pages.parameters(rest, NAMES)
    if keys and given.keys() & {"from", "to", "prefix"}:
        raise Refusal(400, "bad_parameter", "key and a range are both given", "give key=, or from=, to= and prefix=")
    return Selection(store, frozenset(encoded_keys(store, keys)), pages.page(store, _range(given)).bounds)


def after(request: Request) -> SessionToken | None:
    """The epoch after which to go on: of the event that came last, or of the parameter."""
    text = request.headers.get(_LAST) or request.query_params.get("after")
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return SessionToken(epoch=int(text))
    with contextlib.suppress(ValueError):
        if (token := SessionToken.read(text)).epoch >= 0 and not token.writes:
            return token
    raise Refusal(400, "bad_parameter", f"{text[:40]!r} is no epoch", "it is the id of the last event, or its epoch")


def answer(context: RequestContext, subscriptions: Subscriptions) -> Response:
    """`GET /stores/{store}/changes`"""
    store, request, service = context.store(), context.request, context.service
    wanted, begin = selection(store, request), after(request)
    _permit(context.rights, wanted)
    refuse_shared(context.stores)
    if context.stores.catalog.live:
        hint = "read the store now and then, or run the app in epochs"
        raise Refusal(409, "no_epochs", "the app runs in real-time mode, which has no epochs to follow", hint)
    if begin is not None:
        subscriptions.check(begin)
    if subscriptions.count >= service.limits.subscribers:
        raise Refusal(503, "busy", f"{subscriptions.count} subscribers are served already", LATER)
    wanted_type = media_type(request)
    if request.method == "HEAD":  # there is nothing to wait for
        return Response(media_type=wanted_type)
    is_permitted = partial(service.holds, context.rights)
    return EventResponse(subscriptions.follow(wanted, begin), wanted_type, service.requests, is_permitted)


def _permit(rights: Rights, wanted: Selection) -> None:
    """Refuse to watch what may not be read."""
    for key in wanted.keys:
        rights.require_key(wanted.store, key)
    if not wanted.keys:
        rights.require_bounds(wanted.store, wanted.bounds)


def _range(given: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name in ("from", "to", "prefix")}
