"""The questions that a server answers about itself, and those of the app's routes."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from holdfast.client.connection import RequestError
from holdfast.client.requests import Question, Request
from holdfast.client.store_types import StoreTypes
from holdfast.names import did_you_mean
from holdfast.stores import values

_NOT_FOUND = 404


def stores() -> Question[dict[str, StoreTypes]]:
    """Every store with its types."""
    reply = yield Request("/stores")
    return {row["name"]: StoreTypes.of(row) for row in orjson.loads(reply.body)["stores"]}


def store(name: str) -> Question[StoreTypes]:
    """One store with its types."""
    known = yield from stores()
    if name not in known:
        raise RequestError(f"there is no store {name!r}{did_you_mean(name, known)}", status=404, code="unknown_store")
    return known[name]


def route(path: str, body: object, parameters: Mapping[str, object]) -> Question[object]:
    """What a route answers, parsed."""
    query = {name: value if isinstance(value, str) else values.dumps(value).decode().strip('"')
             for name, value in parameters.items()}  # fmt: skip
    reply = yield Request(f"/{path.lstrip('/')}", query, None if body is None else values.dumps(body))
    if reply.status == _NOT_FOUND:
        raise RequestError(f"{path}: {orjson.loads(reply.body)['error']['message']}", status=404, code="key_not_found")
    parsed: object = orjson.loads(reply.body)
    return parsed
