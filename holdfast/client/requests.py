"""What is asked of a server, apart from how it is sent.

A question is a generator that yields requests and is sent replies, so one question serves a client that waits and one
that awaits.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import quote

from holdfast.stores import values

T = TypeVar("T")
Query = Mapping[str, str | list[str]]


@dataclass(frozen=True)
class Request:
    """One request: a path below the server's address, and a JSON body if it is a POST."""

    path: str
    query: Query = field(default_factory=dict)
    body: bytes | None = None
    accept: str | None = None

    @property
    def method(self) -> str:
        """GET, or POST with a body."""
        return "GET" if self.body is None else "POST"


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Question = Generator[Request, Reply, T]
"""Asks in as many requests as it takes, and returns what was wanted."""


def to_store(
    name: str, below: str = "", body: Mapping[str, object] | None = None, query: Query = MappingProxyType({})
) -> Request:
    """A request to a store."""
    path = f"/stores/{quote(name.encode(), safe='')}{below}"
    return Request(path, query, None if body is None else values.dumps(body))
