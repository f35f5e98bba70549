"""What the server answers by itself. Reads take microseconds, so they run on the event loop, without a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import Response

from holdfast.documents import Document
from holdfast.errors import KeyNotFound
from holdfast.server import consistency, metrics, openapi, pages, query_body
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.guard import Admission
from holdfast.server.limits import USUAL, Limits
from holdfast.server.metrics import Watched
from holdfast.server.permitted_snapshot import PermittedSnapshot
from holdfast.server.request_meter import RequestMeter
from holdfast.server.responses import Refusal, answer, raw
from holdfast.server.rights import EVERYTHING, NOTHING, Rights
from holdfast.server.rights_file import RightsFile
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import Status
from holdfast.stores.types import WrongType, example, shown, words
from holdfast.topics.windowed import is_windowed
from holdfast.topology.describe import describe
from holdfast.topology.document_reader import read
from holdfast.topology.picture import svg

if TYPE_CHECKING:
    from holdfast.server.dashboard.dashboard import Dashboard


@dataclass
class Service:
    """What all requests share: limits, what was measured, and the app if it runs in this process."""

    access: Access = EVERYBODY
    limits: Limits = USUAL
    requests: RequestMeter = field(default_factory=RequestMeter)
    watched: Watched | None = None
    dashboard: Dashboard | None = None
    is_stopping: bool = False
    rights: RightsFile | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rights = None if self.access.rights is None else RightsFile(self.access.rights)

    def holds(self, rights: Rights) -> bool:
        """Whether a token still has the rights that it had."""
        return self.rights is None or rights is EVERYTHING or self.rights.holds(rights)

    def admission(self, served: str) -> Admission:
        """Who may ask, of a server that listens there."""
        return Admission(self.access, served, self.rights)


@dataclass(frozen=True)
class RequestContext:
    """A request, and the snapshot it is answered from, as far as its token goes."""

    request: Request
    stores: Stores
    snapshot: Snapshot
    body: bytes | None = None

    def __post_init__(self) -> None:
        if not self.rights.is_everything:
            permitted = PermittedSnapshot(self.snapshot, self.stores.catalog, self.rights)
            object.__setattr__(self, "snapshot", permitted)

    @property
    def rights(self) -> Rights:
        """What the request's token may read."""
        found: Rights = self.request.scope.get("holdfast.rights", NOTHING)
        return found

    @property
    def catalog(self) -> Catalog:
        """What the app has published, as far as the token may read it."""
        return self.rights.visible(self.stores.catalog)

    def parameters(self, *allowed: str, fields: Document | None = None) -> dict[str, str]:
        """The parameters of the query, and of the body or its `fields` if there is one; none but the allowed ones."""
        named = (*allowed, *consistency.PARAMETERS) if consistency.is_accepted(self.request) else allowed
        if fields is not None:
            posted = query_body.named(fields)
        else:
            posted = query_body.parameters(self.body) if self.body is not None else []
        given = pages.parameters([*self.request.query_params.multi_items(), *posted], named)
        # Those have been waited for already.
        return {name: value for name, value in given.items() if name not in consistency.PARAMETERS}

    @property
    def service(self) -> Service:
        """What all requests share."""
        found: Service = self.request.app.state.service
        return found

    @property
    def known(self) -> bool:
        """Whether the request may hear how the server is: it has the token, if one is wanted."""
        return self.rights.meta

    def store(self) -> Store:
        """The store that the path names."""
        name: str = self.request.path_params["store"]
        self.rights.require_store(name)
        self.topology()
        return self.catalog.store(name).at(self.snapshot)

    def topology(self) -> Document:
        """The published topology, or why there is none."""
        found = self.stores.catalog.topology
        if found is None:
            why = "; ".join(self.stores.follower.status(self.snapshot).reasons)
            raise Refusal(503, "not_ready", why, "ask GET /ready until there is something to read")
        return found


_AT_ONCE = 500
# What the server says of the app and of itself, which is a right of its own.
META = (
    *("/metrics", "/topology", "/topology.json", "/topology.svg", "/"),
    *("/dashboard/now", "/dashboard/history", "/dashboard/letters", "/dashboard/topology"),
)

Handler = Callable[[RequestContext], Response | Awaitable[Response]]


def list_stores(context: RequestContext) -> Response:
    """`GET /stores`"""
    context.parameters()
    restoring = _restoring(context.stores.follower.status(context.snapshot))
    epoch, rows = context.snapshot.epoch, store_rows(context)
    return answer({"app": context.stores.app, "epoch": epoch, "restoring": restoring, "stores": rows})


def _restoring(status: Status) -> Document | None:
    """How far a replica is that is not complete yet."""
    found = status.restoring
    if found is None:
        return None
    seconds = None if found.seconds is None else round(found.seconds, 1)
    return {"records": found.records, "of": found.of, "rate": round(found.rate), "seconds": seconds}


def store_rows(context: RequestContext) -> list[Document]:
    """Every store with its types, size, epoch and lag."""
    lag = context.stores.follower.status(context.snapshot).lag
    return [_row(context, store, lag.get(store.name)) for _, store in sorted(context.catalog.stores.items())]


def _row(context: RequestContext, store: Store, lag: int | None) -> Document:
    progress = context.snapshot.progress(store.name)
    return {
        "name": store.name,
        "kind": store.kind,
        "key": store.key.to_json(),
        "value": store.value.to_json(),
        "count": context.snapshot.count(store.name) if context.rights.is_visible(store.name, in_full=True) else None,
        "epoch": progress.epoch if progress else 0,
        "lag": lag,
        "changelog": store.changelog,
        "node": store.node,
    }


def read_page(context: RequestContext) -> Response:
    """`GET /stores/{store}`"""
    store = context.store()
    wanted = pages.page(store, context.parameters(*pages.NAMES))
    return raw(pages.entries(store, context.snapshot, wanted, context.service.limits.page))


def read_key(context: RequestContext) -> Response:
    """`GET /stores/{store}/keys/{key}`"""
    store, key = context.store(), _key_text(context.request)
    return _read(context, store, key, context.parameters(*_timed(store)))


def read_posted_key(context: RequestContext) -> Response:
    """`POST /stores/{store}/get`: the key in the body, where a path would be too long."""
    store = context.store()
    key, given = query_body.key(context.body or b"", store.key), context.parameters(query_body.KEY, *_timed(store))
    given.pop(query_body.KEY)
    return _read(context, store, key, given)


def _timed(store: Store) -> Sequence[str]:
    """The parameters that choose times, where keys have windows or versions."""
    if store.versioned is not None:
        return pages.VERSIONS
    return pages.WINDOWS if is_windowed(store.key) else ()


def _read(context: RequestContext, store: Store, key: object, given: dict[str, str]) -> Response:
    """The value of a key, or those that it has between two times."""
    page = context.service.limits.page
    if given and store.versioned is not None:
        return raw(pages.versions_of(store, context.snapshot, _key(store, key), given, page))
    if given:
        return raw(pages.entries(store, context.snapshot, pages.windows(store, key, given), page))
    found = context.snapshot.get(store.name, _key(store, key))
    if found is None:
        raise KeyNotFound(f"store {store.name!r} has no key {shown(key)}")
    return raw(found)


async def read_keys(context: RequestContext) -> Response:
    """`POST /stores/{store}/keys`: the values of many keys; as many as fit, and with which key to go on."""
    store = context.store()
    fields = query_body.fields(context.body or b"", store.key)
    context.parameters(query_body.KEYS, fields=fields)
    keys, room, found = query_body.keys(fields, store.key), context.service.limits.page, list[bytes]()
    for begin in range(0, len(keys), _AT_ONCE):
        if begin:
            await asyncio.sleep(0)  # others are answered meanwhile
        encoded = encoded_keys(store, keys[begin : begin + _AT_ONCE])
        values = context.snapshot.get_many(store.name, encoded, room)
        found += values
        room -= sum(map(len, values))
        if room < 0:
            break
    return raw(pages.values_of(found, len(keys), is_too_much=room < 0))


def read_windows(context: RequestContext) -> Response:
    """`GET /stores/{store}/windows`: the windows of all keys that begin between two times."""
    store = context.store()
    given = context.parameters(*pages.WINDOWS)
    return raw(pages.all_windows(store, context.snapshot, given, context.service.limits.page))


def count(context: RequestContext) -> Response:
    """`GET /stores/{store}/count`"""
    store = context.store()
    context.parameters()
    return answer({"count": context.snapshot.count(store.name)})


def health(context: RequestContext) -> Response:
    """`GET /health`: whether app and replica move; a broker that does not answer is mentioned and does not fail it."""
    context.parameters()
    status = context.stores.follower.status(context.snapshot)
    if (stuck := _stuck(context)) and not context.known:
        raise Refusal(503, "stuck", "something does not move any more", "ask with the token what it is")
    if stuck:
        raise Refusal(503, "stuck", *stuck)
    if not context.known:
        return answer({"status": "ok"})
    return answer({"status": "ok", "app": context.stores.app, "epoch": status.epoch, "role": status.role,
                   "lag": status.lag, "problem": status.problem, "skipped": status.skipped})  # fmt: skip


def _stuck(context: RequestContext) -> tuple[str, str] | None:
    """What does not move, and what to do about it."""
    if not context.stores.follower.alive:
        return "the replica does not move any more", "restart the server; its log says why"
    if stuck := context.stores.follower.stuck:
        return f"the replica stands still: {stuck}", "it tries again; the log says more"
    problem = context.service.watched and context.service.watched.problem()
    return (problem, "restart the app; its log says why") if problem else None


def ready(context: RequestContext) -> Response:
    """`GET /ready`: whether the replica has everything that was there when it started."""
    context.parameters()
    status = context.stores.follower.status(context.snapshot)
    if not status.ready and not context.known:
        raise Refusal(503, "not_ready", "not everything is here yet", "wait, and ask again")
    if not status.ready:
        hint = status.problem or "wait, and ask again"
        progress = f"; {status.restoring}" if status.restoring else ""
        raise Refusal(503, "not_ready", "; ".join(status.reasons) + progress, hint)
    if not context.known:
        return answer({"ready": True})
    return answer({"ready": True, "app": context.stores.app, "epoch": status.epoch, "lag": status.lag})


def measured(context: RequestContext) -> Response:
    """`GET /metrics`"""
    context.parameters()
    service = context.service
    app = service.watched.document() if service.watched else None
    with context.stores.replica.reading() as snapshot:  # sizes are figures of the server, whatever may be read
        found = metrics.Scrape(app, metrics.of_replica(context.stores, snapshot), service.requests)
    body, content_type = metrics.render(found, context.request.headers.get("accept", ""))
    return Response(body, media_type=content_type)


def openapi_json(context: RequestContext) -> Response:
    """`GET /openapi.json`"""
    context.parameters()
    own, secured = context.request.app.state.own_routes, context.service.access.wants_token
    allowed = [each for each in own if context.rights.may_call(each[1])]
    stores = context.rights.visible(context.stores.catalog).stores
    found = openapi.document(context.stores.app, allowed, secured, stores)
    if not context.rights.meta:
        found["paths"] = {path: each for path, each in found["paths"].items() if path not in META}
    return answer(found)


def topology_text(context: RequestContext) -> Response:
    """`GET /topology`"""
    context.parameters()
    return Response(describe(read(context.topology())) + "\n", media_type="text/plain; charset=utf-8")


def topology_json(context: RequestContext) -> Response:
    """`GET /topology.json`"""
    context.parameters()
    return answer(context.topology())


def topology_svg(context: RequestContext) -> Response:
    """`GET /topology.svg`"""
    context.parameters()
    return Response(svg(read(context.topology())), media_type="image/svg+xml")


def check_path(request: Request) -> None:
    """Refuse an encoded slash anywhere but in a key: the decoded path would be that of another request."""
    parts = _parts(request)
    if any(b"%2f" in part.lower() for part in parts[:4]):
        hint = "write the path as /stores/STORE/keys/KEY; only the key may have %2F in it"
        raise Refusal(400, "bad_path", "an encoded slash stands where the path has one", hint)


def _parts(request: Request) -> list[bytes]:
    """The path as sent: nothing, `stores`, the store, `keys`, and the key with its slashes."""
    path: bytes = request.scope["raw_path"]
    return path.split(b"/", 4)


def _key_text(request: Request) -> str:
    """The key as sent: the decoded path cannot tell a broken encoding from a replacement character."""
    try:
        return unquote_to_bytes(_parts(request)[4]).decode()
    except UnicodeDecodeError:
        raise Refusal(400, "bad_path", "the key is not UTF-8", "percent-encode the key's UTF-8 bytes") from None


def _key(store: Store, given: object) -> bytes:
    return encoded_keys(store, [given])[0]


def encoded_keys(store: Store, given: Sequence[object]) -> list[bytes]:
    """Keys of a request as the store orders them."""
    try:
        return store.keys.encode_given(given)
    except WrongType as error:
        hint = f"keys of {store.name!r} are {words(store.key)}, written as {example(store.key)}"
        raise Refusal(400, "wrong_type", f"store {store.name!r}: {error}", hint) from None
