"""The routes of an app's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.dsl.position import user_position
from holdfast.errors import TopologyError

OWN = ("/stores", "/sql", "/topology", "/topology.json", "/topology.svg", "/metrics", "/health", "/ready")


@dataclass(frozen=True)
class Route:
    """A path of the query server that the app answers itself."""

    method: str
    path: str
    handler: Callable[..., Any]
    at: str


@dataclass(frozen=True)
class Mount:
    """An ASGI application under a path."""

    path: str
    asgi: Any


def check_path(path: Any, taken: Sequence[tuple[str, str]], method: str) -> str:
    """Return `path` if the app may answer it."""
    at = user_position()
    if not isinstance(path, str) or not path.startswith("/"):
        raise TopologyError(f"a path begins with '/', {path!r} does not", at=at)
    if any(path == each or path.startswith(each + "/") for each in OWN):
        raise TopologyError(f"the path {path!r} is one of the server's own; choose another", at=at)
    if (method, path) in taken:
        raise TopologyError(f"{method} {path} is there twice; choose another path", at=at)
    return path
