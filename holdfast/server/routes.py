"""The table of routes: the server's own first, then the app's, then the page at `/`."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from holdfast.documents import Document
from holdfast.dsl.routes import Mount as AppMount
from holdfast.dsl.routes import Route as AppRoute
from holdfast.dsl.routes import wrong_path
from holdfast.errors import HoldfastError
from holdfast.server import consistency, event_stream, handlers, parameters
from holdfast.server.compression import Compression
from holdfast.server.dashboard import handlers as dashboard
from holdfast.server.dashboard.page import STATIC, static
from holdfast.server.deadline import within
from holdfast.server.etags import tagged
from holdfast.server.freshness import Freshness
from holdfast.server.guard import OPEN, Guard
from holdfast.server.handlers import Handler, RequestContext, Service
from holdfast.server.limits import Limits
from holdfast.server.permitted_paths import PermittedMount, check_built_in, rights_of
from holdfast.server.producing import Producing
from holdfast.server.responses import Refusal, answer, epoch_fields, from_exception
from holdfast.server.shared_reads import SharedRead, SharedReads
from holdfast.server.subscriptions import Subscriptions
from holdfast.stores.backend import Stores
from holdfast.stores.epoch_position import EpochPosition

if TYPE_CHECKING:
    from holdfast.server.sql.queries import SqlQueries

BUILT_IN: dict[str, Handler] = {
    "/stores": handlers.list_stores,
    "/stores/{store}": handlers.read_page,
    "/stores/{store}/count": handlers.count,
    "/stores/{store}/windows": handlers.read_windows,
    "/stores/{store}/keys/{key:path}": handlers.read_key,
    "/health": handlers.health,
    "/ready": handlers.ready,
    "/metrics": handlers.measured,
    "/openapi.json": handlers.openapi_json,
    "/topology": handlers.topology_text,
    "/topology.json": handlers.topology_json,
    "/topology.svg": handlers.topology_svg,
    **dashboard.HANDLERS,
}
# What is read of a store at an epoch stays the same.
TAGGED = frozenset(path for path in BUILT_IN if path.startswith("/stores/{store}"))
# Reads whose keys or cursors may be too long for an address; they change nothing either.
POSTED: dict[str, Handler] = {
    "/stores/{store}/get": handlers.read_posted_key,
    "/stores/{store}/keys": handlers.read_keys,
    "/stores/{store}/page": handlers.read_page,
    "/stores/{store}/windows": handlers.read_windows,
}
SQL, SQL_CHANGES = "/sql", "/sql/changes"
TOPIC = "/topics/{topic}"
_PLACE = re.compile(r"{(\w+)(?::\w+)?}")

Endpoint = Callable[[Request], Awaitable[Response]]


def build(
    stores: Stores,
    routes: Sequence[AppRoute] = (),
    mounts: Sequence[AppMount] = (),
    service: Service | None = None,
    served: str = "",
) -> ASGIApp:
    """The ASGI application of an app's stores and routes."""
    service = service or Service()
    turn = asyncio.Lock()
    table: list[BaseRoute] = [Route(path, _built_in(stores, path, each, turn)) for path, each in BUILT_IN.items()]
    table += [Route(path, _built_in(stores, path, each, turn), methods=["POST"]) for path, each in POSTED.items()]
    table.append(Route("/stores/{store}/changes", _changes(stores, service)))
    table.append(Route(TOPIC, _producing(stores, service.access.produce), methods=["POST"]))
    table += _sql(stores, service, service.access.answers_sql(served))
    own = [_signature(route) for route in routes]
    table += [_own(stores, route, wanted, service.limits) for route, wanted in zip(routes, own, strict=True)]
    table += [Mount(_free(mount.path, None), PermittedMount(mount)) for mount in mounts]
    table.append(Route("/", _built_in(stores, "/", dashboard.front_page, turn)))
    table.append(Route(STATIC + "{file:path}", static))
    app = Starlette(routes=table, exception_handlers={HTTPException: _refuse})
    app.router.redirect_slashes = False
    app.state.service = service
    app.state.freshness = Freshness(stores.follower)
    app.state.own_routes = [(route.method, route.path, wanted) for route, wanted in zip(routes, own, strict=True)]
    guarded = Guard(Compression(app), service.admission(served), service.limits, service.requests)
    return _Epoch(guarded, stores)


def build_health(stores: Stores, service: Service) -> ASGIApp:
    """The ASGI application of the health port: it answers everybody with yes or no."""
    app = Starlette(
        routes=[Route(path, _built_in(stores, path, BUILT_IN[path], asyncio.Lock())) for path in OPEN],
        exception_handlers={HTTPException: _refuse},
    )
    app.router.redirect_slashes = False
    app.state.service = service

    async def unknown(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "holdfast.known": False}, receive, send)

    return unknown


def _built_in(stores: Stores, path: str, handler: Handler, turn: asyncio.Lock) -> Endpoint:
    """Answers with a handler, one request after the other; health does not wait for its turn among them."""

    shared = SharedReads(stores) if stores.is_shared else None

    async def endpoint(request: Request) -> Response:
        request.scope["holdfast.route"] = path.replace(":path", "")
        try:
            check_built_in(request, path)
            handlers.check_path(request)
            body = await _body(request) if request.method == "POST" else None
            if path in OPEN:
                return await read(request, body, consistency.Requirement())
            wanted = await consistency.reach(request, stores)
        except Exception as error:
            return from_exception(error, _where(request))
        if shared is not None:
            return await shared.answer(SharedRead(request, handler, body, wanted, path in TAGGED), _where(request))
        async with turn:
            await asyncio.sleep(0)  # requests that came in the meantime are seen, and /health may overtake
            return await read(request, body, wanted)

    async def read(request: Request, body: bytes | None, wanted: consistency.Requirement) -> Response:
        service: Service = request.app.state.service
        with stores.replica.pinned() as snapshot:
            request.scope["holdfast.position"] = snapshot.position
            try:
                wanted.check(snapshot)
                if path not in OPEN:
                    service.requests.refuse_unread(service.limits)
                found = handler(RequestContext(request, stores, snapshot, body))
                response = found if isinstance(found, Response) else await found
                return tagged(request, response, snapshot.position) if path in TAGGED else response
            except Exception as error:
                return from_exception(error, _where(request))

    return endpoint


def _changes(stores: Stores, service: Service) -> Endpoint:
    """Answers with what a store has and with every change of it."""
    subscriptions = Subscriptions(stores, service)

    async def endpoint(request: Request) -> Response:
        request.scope["holdfast.route"] = "/stores/{store}/changes"
        try:
            handlers.check_path(request)
            wanted = await consistency.reach(request, stores)
            if (begin := event_stream.after(request)) is not None and not stores.is_shared:
                await subscriptions.reach(begin)
            with stores.replica.pinned() as snapshot:
                request.scope["holdfast.position"] = snapshot.position
                wanted.check(snapshot)
                return event_stream.answer(RequestContext(request, stores, snapshot), subscriptions)
        except Exception as error:
            return from_exception(error, _where(request))

    return endpoint


def _sql(stores: Stores, service: Service, is_on: bool) -> list[BaseRoute]:
    """Answers queries over all stores, in threads, if that is wanted where the server listens.

    DuckDB and Arrow are loaded by the first query: a server that is asked for none starts without them.
    """
    queries: list[SqlQueries] = []
    loading = asyncio.Lock()

    async def loaded() -> SqlQueries:
        async with loading:
            if not queries:
                queries.append(await to_thread.run_sync(_load_sql, stores, service))
        return queries[0]

    def endpoint(path: str) -> Endpoint:
        async def answered(request: Request) -> Response:
            request.scope["holdfast.route"] = path
            try:
                if not is_on:
                    why = "this server answers no SQL, because other machines reach it"
                    raise Refusal(403, "sql_off", why, "start it with --sql")
                body = await _body(request)
                service.requests.refuse_unread(service.limits)
                found = await loaded()
                return await (found.answer if path == SQL else found.watch)(request, body, rights_of(request.scope))
            except Exception as error:
                return from_exception(error, _where(request))

        return answered

    return [Route(path, endpoint(path), methods=["POST"]) for path in (SQL, SQL_CHANGES)]


def _producing(stores: Stores, is_on: bool) -> Endpoint:
    """Writes records to the topics that the app reads, if that is wanted."""
    producing = Producing(stores, is_on)

    async def endpoint(request: Request) -> Response:
        request.scope["holdfast.route"] = TOPIC
        try:
            return await producing.answer(request, await _body(request), rights_of(request.scope))
        except Exception as error:
            return from_exception(error, _where(request))

    return endpoint


def _load_sql(stores: Stores, service: Service) -> SqlQueries:
    from holdfast.server.sql.queries import SqlQueries

    return SqlQueries(stores, service)


async def _body(request: Request) -> bytes:
    parameters.want_json(request)
    return await request.body()


def _signature(route: AppRoute) -> list[parameters.Parameter]:
    return parameters.read_signature(route.handler, set(_PLACE.findall(_free(route.path, route.at))), route.at)


def _own(stores: Stores, route: AppRoute, wanted: list[parameters.Parameter], limits: Limits) -> Route:
    call, raw = _caller(route.handler), any(each.source == "request" for each in wanted)

    async def endpoint(request: Request) -> Response:
        request.scope["holdfast.route"] = route.path
        try:
            rights_of(request.scope).require_route(route.path)
            if route.method == "POST" and not raw:
                parameters.want_json(request)
            requirement = await consistency.reach(request, stores)
            return await within(limits.answer, reply(request, requirement), inspect.iscoroutinefunction(route.handler))
        except Refusal as refused:
            return from_exception(refused, _where(request))

    async def reply(request: Request, requirement: consistency.Requirement) -> Response:
        with stores.replica.pinned() as snapshot:
            request.scope["holdfast.position"] = snapshot.position
            try:
                requirement.check(snapshot)
                return await call(await parameters.bind(wanted, request))
            except Exception as error:
                return from_exception(error, _where(request))

    return Route(route.path, endpoint, methods=[route.method])


def _caller(handler: Callable[..., object]) -> Callable[[Document], Awaitable[Response]]:
    """An async handler runs on the loop; a sync one may block, so it runs in a thread, with the same snapshot."""
    if inspect.iscoroutinefunction(handler):

        async def on_loop(arguments: Document) -> Response:
            return answer(await handler(**arguments))

        return on_loop

    async def in_thread(arguments: Document) -> Response:
        return await to_thread.run_sync(lambda: answer(handler(**arguments)))

    return in_thread


def _free(path: str, at: str | None) -> str:
    wrong = wrong_path(path)
    if wrong:
        raise HoldfastError(wrong, at=at)
    return path


async def _refuse(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code in (404, 405):
        what = "nothing is at" if error.status_code == 404 else f"{request.method} is not answered at"
        error = HTTPException(error.status_code, f"{what} {request.scope['path']}", error.headers)
    return from_exception(error, _where(request))


def _where(request: Request) -> str:
    return _asked(request.scope)


def _asked(scope: Scope) -> str:
    """What was asked for, for the log: the path as it was sent, because a decoded one may have lines of its own."""
    sent = scope.get("raw_path") or scope["path"].encode(errors="replace")
    return f"{scope['method']} {sent.decode('ascii', 'backslashreplace')}"


class _Epoch:
    """Adds to every answer the epoch it was read at, and turns what escapes from a mounted app into an answer."""

    def __init__(self, app: ASGIApp, stores: Stores) -> None:
        self._app = app
        self._stores = stores

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def with_epoch(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                safe = (b"x-content-type-options", b"nosniff")
                message = {**message, "headers": [*message.get("headers", []), *self._epoch(scope), safe]}
            await send(message)

        try:
            await self._app(scope, receive, with_epoch)
        except Exception as error:
            if started:
                raise
            await from_exception(error, _asked(scope))(scope, receive, with_epoch)

    def _epoch(self, scope: Scope) -> list[tuple[bytes, bytes]]:
        if not scope.get("holdfast.known", False):
            return []
        if "holdfast.position" not in scope:
            with self._stores.replica.reading() as snapshot:
                scope["holdfast.position"] = snapshot.position
        position: EpochPosition | None = scope["holdfast.position"]
        stale = 0 if not self._stores.is_shared or position is None else int(self._stores.staleness(position.epoch))
        return epoch_fields(position, stale)
