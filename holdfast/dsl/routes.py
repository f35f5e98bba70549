"""HTTP routes that an app adds to the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from holdfast.errors import TopologyError
from holdfast.position import user_position

R = TypeVar("R")
Asgi = Callable[..., Awaitable[None]]
# What the paths that the server answers itself begin with; the empty one is its page.
RESERVED = frozenset(
    [
        "",
        "stores",
        "topics",
        "sql",
        "topology",
        "topology.json",
        "topology.svg",
        "metrics",
        "health",
        "ready",
        "openapi.json",
        "dashboard",
    ]
)


@dataclass(frozen=True)
class Route:
    """A path of the query server that the app answers itself."""

    method: str
    path: str
    handler: Callable[..., object]
    at: str


@dataclass(frozen=True)
class Mount:
    """An ASGI application under a path."""

    path: str
    asgi: Asgi


def wrong_path(path: str) -> str | None:
    """Say why a path cannot be the app's: the server answers it, or some that it stands for."""
    first = path.split("/")[1]
    if first in RESERVED:
        return f"the path {path!r} is one of the server's own; choose another"
    if "{" in first:
        return (
            f"the path {path!r} stands for paths of the server's own as well, like /health; let it begin with a fixed "
            f"part: '/items{path}'"
        )
    return None


def check_path(path: object, taken: Sequence[tuple[str, str]], method: str) -> str:
    """Return `path` if the app may answer it."""
    at = user_position()
    if not isinstance(path, str) or not path.startswith("/"):
        raise TopologyError(f"a path begins with '/', {path!r} does not", at=at)
    wrong = wrong_path(path)
    if wrong:
        raise TopologyError(wrong, at=at)
    if (method, path) in taken:
        raise TopologyError(f"{method} {path} is there twice; choose another path", at=at)
    return path


class HasRoutes:
    """An object with HTTP routes."""

    def __init__(self) -> None:
        self.routes: list[Route] = []
        self.mounts: list[Mount] = []

    def get(self, path: str) -> Callable[[R], R]:
        """Answer GET requests of the query server with a function; parameters come from the path and the query.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> @app.get("/hello/{name}")
        ... def hello(name: str, times: int = 1):
        ...     return {"hello": [name] * times}
        """
        return self._route("GET", path)

    def post(self, path: str) -> Callable[[R], R]:
        """Answer POST requests of the query server with a function.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> @app.post("/echo")
        ... async def echo(body: dict):
        ...     return body
        """
        return self._route("POST", path)

    def _route(self, method: str, path: str) -> Callable[[R], R]:
        checked, at = check_path(path, [(each.method, each.path) for each in self.routes], method), user_position()

        def register(handler: R) -> R:
            if not callable(handler):
                raise TopologyError(f"{method} {path} wants a function, {handler!r} came", at=at)
            self.routes.append(Route(method, checked, handler, at))
            return handler

        return register

    def mount(self, path: str, asgi: Asgi) -> None:
        """Serve an ASGI application under a path.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> async def page(scope, receive, send): ...
        >>> app.mount("/page", page)
        """
        self.mounts.append(Mount(check_path(path, [("*", each.path) for each in self.mounts], "*"), asgi))
