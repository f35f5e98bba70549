"""What the server answers by itself. Reads take microseconds, so they run on the event loop, without a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from starlette.requests import Request
from starlette.responses import Response

from holdfast.documents import Document
from holdfast.errors import KeyNotFound
from holdfast.server import metrics, openapi, page, paging, posting, waiting
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.limits import USUAL, Limits
from holdfast.server.metrics import Watched
from holdfast.server.requests import Requests
from holdfast.server.responses import Refused, answer, raw
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Store
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.types import WrongType, example, shown, words
from holdfast.topics.windowed import is_windowed
from holdfast.topology.describe import describe
from holdfast.topology.document_reader import read
from holdfast.topology.picture import svg


@dataclass
class Service:
    """What all requests share: limits, what was measured, and the app if it runs in this process."""

    access: Access = EVERYBODY
    limits: Limits = USUAL
    requests: Requests = field(default_factory=Requests)
    watched: Watched | None = None


@dataclass(frozen=True)
class Asked:
    """A request with the snapshot it is answered from."""

    request: Request
    stores: Stores
    snapshot: Snapshot
    body: bytes | None = None

    def parameters(self, *allowed: str) -> dict[str, str]:
        """The parameters of the query, and of the body if there is one; none but the allowed ones."""
        named = (*allowed, waiting.PARAMETER) if waiting.is_possible(self.request) else allowed
        posted = posting.parameters(self.body) if self.body is not None else []
        given = paging.parameters([*self.request.query_params.multi_items(), *posted], named)
        given.pop(waiting.PARAMETER, None)  # it has been waited for already
        return given

    @property
    def service(self) -> Service:
        """What all requests share."""
        found: Service = self.request.app.state.service
        return found

    @property
    def known(self) -> bool:
        """Whether the request has the token, if one is wanted."""
        return bool(self.request.scope.get("holdfast.known", True))

    def store(self) -> Store:
        """The store that the path names."""
        self.topology()
        return self.stores.catalog.store(self.request.path_params["store"]).at(self.snapshot)

    def topology(self) -> Document:
        """The published topology, or why there is none."""
        found = self.stores.catalog.topology
        if found is None:
            why = "; ".join(self.stores.follower.status(self.snapshot).reasons)
            raise Refused(503, "not_ready", why, "GET /ready tells when there is something to read")
        return found


Handler = Callable[[Asked], Response]


def list_stores(asked: Asked) -> Response:
    """`GET /stores`"""
    asked.parameters()
    return answer({"app": asked.stores.app, "epoch": asked.snapshot.epoch, "stores": store_rows(asked)})


def store_rows(asked: Asked) -> list[Document]:
    """Every store with its types, size, epoch and lag."""
    lag = asked.stores.follower.status(asked.snapshot).lag
    return [_row(asked, store, lag.get(store.name)) for _, store in sorted(asked.stores.catalog.stores.items())]


def _row(asked: Asked, store: Store, lag: int | None) -> Document:
    progress = asked.snapshot.progress(store.name)
    return {
        "name": store.name,
        "kind": store.kind,
        "key": store.key.to_json(),
        "value": store.value.to_json(),
        "count": asked.snapshot.count(store.name),
        "epoch": progress.epoch if progress else 0,
        "lag": lag,
        "changelog": store.changelog,
        "node": store.node,
    }


def read_page(asked: Asked) -> Response:
    """`GET /stores/{store}`"""
    store = asked.store()
    wanted = paging.page(store, asked.parameters(*paging.NAMES))
    return raw(paging.entries(store, asked.snapshot, wanted, asked.service.limits.page))


def read_key(asked: Asked) -> Response:
    """`GET /stores/{store}/keys/{key}`"""
    store, key = asked.store(), _key_text(asked.request)
    return _read(asked, store, key, asked.parameters(*_timed(store)))


def read_posted_key(asked: Asked) -> Response:
    """`POST /stores/{store}/get`: the key in the body, where a path would be too long."""
    store = asked.store()
    key, given = posting.key(asked.body or b"", store.key), asked.parameters(posting.KEY, *_timed(store))
    given.pop(posting.KEY)
    return _read(asked, store, key, given)


def _timed(store: Store) -> Sequence[str]:
    """The parameters that choose times, where keys have windows or versions."""
    return paging.WINDOWS if is_windowed(store.key) or store.versioned is not None else ()


def _read(asked: Asked, store: Store, key: object, given: dict[str, str]) -> Response:
    """The value of a key, or those that it has between two times."""
    page = asked.service.limits.page
    if given and store.versioned is not None:
        return raw(paging.versions_of(store, asked.snapshot, _key(store, key), given, page))
    if given:
        return raw(paging.entries(store, asked.snapshot, paging.windows(store, key, given), page))
    found = asked.snapshot.get(store.name, _key(store, key))
    if found is None:
        raise KeyNotFound(f"store {store.name!r} has no key {shown(key)}")
    return raw(found)


def read_keys(asked: Asked) -> Response:
    """`POST /stores/{store}/keys`: the values of many keys; as many as fit, and with which key to go on."""
    store = asked.store()
    asked.parameters(posting.KEYS)
    keys = posting.keys(asked.body or b"", store.key)
    return raw(paging.values_of(asked.snapshot, store, (_key(store, key) for key in keys), asked.service.limits.page))


def read_windows(asked: Asked) -> Response:
    """`GET /stores/{store}/windows`: the windows of all keys that begin between two times."""
    store = asked.store()
    given = asked.parameters(*paging.WINDOWS)
    return raw(paging.all_windows(store, asked.snapshot, given, asked.service.limits.page))


def count(asked: Asked) -> Response:
    """`GET /stores/{store}/count`"""
    store = asked.store()
    asked.parameters()
    return answer({"count": asked.snapshot.count(store.name)})


def health(asked: Asked) -> Response:
    """`GET /health`: whether app and replica move; a broker that does not answer is told but does not fail it."""
    asked.parameters()
    status = asked.stores.follower.status(asked.snapshot)
    if (stuck := _stuck(asked)) and not asked.known:
        raise Refused(503, "stuck", "something does not move any more", "ask with the token what it is")
    if stuck:
        raise Refused(503, "stuck", *stuck)
    if not asked.known:
        return answer({"status": "ok"})
    return answer({"status": "ok", "app": asked.stores.app, "epoch": status.epoch, "role": status.role,
                   "lag": status.lag, "problem": status.problem, "skipped": status.skipped})  # fmt: skip


def _stuck(asked: Asked) -> tuple[str, str] | None:
    """What does not move, and what to do about it."""
    if not asked.stores.follower.alive:
        return "the replica does not move any more", "restart the server; its log says why"
    if stuck := asked.stores.follower.stuck:
        return f"the replica stands still: {stuck}", "it tries again; the log says more"
    problem = asked.service.watched and asked.service.watched.problem()
    return (problem, "restart the app; its log says why") if problem else None


def ready(asked: Asked) -> Response:
    """`GET /ready`: whether the replica has everything that was there when it started."""
    asked.parameters()
    status = asked.stores.follower.status(asked.snapshot)
    if not status.ready and not asked.known:
        raise Refused(503, "not_ready", "not everything is here yet", "wait, and ask again")
    if not status.ready:
        hint = status.problem or "wait, and ask again"
        raise Refused(503, "not_ready", "; ".join(status.reasons), hint)
    if not asked.known:
        return answer({"ready": True})
    return answer({"ready": True, "app": asked.stores.app, "epoch": status.epoch, "lag": status.lag})


def measured(asked: Asked) -> Response:
    """`GET /metrics`"""
    asked.parameters()
    service = asked.service
    app = service.watched.document() if service.watched else None
    found = metrics.Scrape(app, metrics.of_replica(asked.stores, asked.snapshot), service.requests)
    body, content_type = metrics.render(found, asked.request.headers.get("accept", ""))
    return Response(body, media_type=content_type)


def openapi_json(asked: Asked) -> Response:
    """`GET /openapi.json`"""
    asked.parameters()
    own, secured = asked.request.app.state.own_routes, asked.service.access.token is not None
    return answer(openapi.document(asked.stores.app, own, secured))


def topology_text(asked: Asked) -> Response:
    """`GET /topology`"""
    asked.parameters()
    return Response(describe(read(asked.topology())) + "\n", media_type="text/plain; charset=utf-8")


def topology_json(asked: Asked) -> Response:
    """`GET /topology.json`"""
    asked.parameters()
    return answer(asked.topology())


def topology_svg(asked: Asked) -> Response:
    """`GET /topology.svg`"""
    asked.parameters()
    return Response(svg(read(asked.topology())), media_type="image/svg+xml")


def front_page(asked: Asked) -> Response:
    """`GET /`"""
    status = asked.stores.follower.status(asked.snapshot)
    routes = [(method, path) for method, path, _ in asked.request.app.state.own_routes]
    body = page.render(asked.stores.app, status, store_rows(asked), routes)
    return Response(body, headers={"Content-Security-Policy": page.POLICY}, media_type="text/html; charset=utf-8")


def check_path(request: Request) -> None:
    """Refuse an encoded slash anywhere but in a key: the decoded path would be that of another request."""
    parts = _parts(request)
    if any(b"%2f" in part.lower() for part in parts[:4]):
        hint = "write the path as /stores/STORE/keys/KEY; only the key may have %2F in it"
        raise Refused(400, "bad_path", "an encoded slash stands where the path has one", hint)


def _parts(request: Request) -> list[bytes]:
    """The path as sent: nothing, `stores`, the store, `keys`, and the key with its slashes."""
    path: bytes = request.scope["raw_path"]
    return path.split(b"/", 4)


def _key_text(request: Request) -> str:
    """The key as sent: the decoded path cannot tell a broken encoding from a replacement character."""
    try:
        return unquote_to_bytes(_parts(request)[4]).decode()
    except UnicodeDecodeError:
        raise Refused(400, "bad_path", "the key is not UTF-8", "percent-encode the key's UTF-8 bytes") from None


def _key(store: Store, given: object) -> bytes:
    try:
        return store.keys.encode(store.keys.read(given))
    except WrongType as error:
        hint = f"keys of {store.name!r} are {words(store.key)}, written as {example(store.key)}"
        raise Refused(400, "wrong_type", f"store {store.name!r}: {error}", hint) from None
