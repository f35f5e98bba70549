"""What the page at `/` asks the server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import orjson
from starlette.responses import Response

from holdfast.documents import Document
from holdfast.server.dashboard.dashboard import Dashboard
from holdfast.server.dashboard.page import page
from holdfast.server.handlers import Handler, RequestContext, store_rows
from holdfast.server.responses import Refusal, answer, raw
from holdfast.stores import values
from holdfast.stores.types import words
from holdfast.topology.document_reader import read
from holdfast.topology.picture.shapes import shapes
from holdfast.types import from_json

_MOST_DIGITS = 15


def front_page(context: RequestContext) -> Response:
    """`GET /`"""
    return page(context.request)


def topology(context: RequestContext) -> Response:
    """`GET /dashboard/topology`"""
    context.parameters()
    document, program = context.topology(), context.stores.catalog.program or {}
    names = orjson.dumps(program.get("python") or [])
    drawn = _drawn(orjson.dumps(document), names)
    routes = [[method, path] for method, path, _ in context.request.app.state.own_routes]
    more = values.dumps({"app": context.stores.app, "files": program.get("files") or {}, "routes": routes})
    return raw(drawn[:-1] + b"," + more[1:])


@lru_cache(maxsize=4)
def _drawn(document: bytes, python: bytes) -> bytes:
    """The picture: many nodes take a while to lay out, and change with the program only."""
    return values.dumps(shapes(read(orjson.loads(document)), orjson.loads(python)))


def now(context: RequestContext) -> Response:
    """`GET /dashboard/now`"""
    context.parameters()
    status = context.stores.follower.status(context.snapshot)
    requests = context.service.requests
    replica = {
        "ready": status.ready, "reasons": status.reasons, "problem": status.problem, "role": status.role,
        "epoch": status.epoch, "alive": context.stores.follower.alive,
    }  # fmt: skip
    server = {"requests": requests.now, "subscribers": requests.subscribers, "live": context.stores.catalog.live}
    stores = [_store(context, row) for row in store_rows(context)]
    published = context.stores.catalog.topology is not None
    known = {"name": context.stores.app, "published": published, "replica": replica, "server": server, "stores": stores}
    return answer({**_dashboard(context).now(), **known})


def _store(context: RequestContext, row: Document) -> Document:
    types = {part: words(from_json(row[part])) for part in ("key", "value")}
    is_whole = context.rights.is_visible(row["name"], in_full=True)
    return {**row, **types, "bytes": context.snapshot.size(row["name"]) if is_whole else None}


def history(context: RequestContext) -> Response:
    """`GET /dashboard/history`"""
    given = context.parameters("since", "step")
    return answer(_dashboard(context).history(_number(given, "since"), _number(given, "step")))


def letters(context: RequestContext) -> Response:
    """`GET /dashboard/letters`"""
    context.parameters()
    found = _dashboard(context).letters.groups()
    if context.rights.is_everything:
        return answer({"groups": found})
    # A record may be of any store: who may not read all of them learns how many there are, and why.
    return answer({"groups": [{**group, "letters": []} for group in found]})


def _number(given: Mapping[str, str], name: str) -> int:
    text = given.get(name, "0")
    if not text.isascii() or not text.isdigit() or len(text) > _MOST_DIGITS:
        raise Refusal(
            400, "bad_parameter", f"{name} is a number of milliseconds; got {text[:40]!r}", "0 is the default"
        )
    return int(text)


def _dashboard(context: RequestContext) -> Dashboard:
    found = context.service.dashboard
    if found is None:
        raise Refusal(503, "not_ready", "this server follows no telemetry", "start it with `holdfast serve`")
    return found


HANDLERS: Mapping[str, Handler] = {
    "/dashboard/now": now,
    "/dashboard/history": history,
    "/dashboard/letters": letters,
    "/dashboard/topology": topology,
}
