"""The questions that a server answers about itself, and those of the app's routes."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

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
    """What a route answers, parsed; parameters may stand in the path, too, and one may have several values."""
    path, _, written = path.partition("?")
    query: dict[str, str | list[str]] = {**parse_qs(written, keep_blank_values=True)}
    for name, value in parameters.items():
        if isinstance(value, list | tuple | set):
            query[name] = [_text(each) for each in value]
        elif value is not None:
            query[name] = _text(value)
    reply = yield Request(f"/{path.lstrip('/')}", query, None if body is None else values.dumps(body))
    if reply.status == _NOT_FOUND:
        raise RequestError(f"{path}: {orjson.loads(reply.body)['error']['message']}", status=404, code="key_not_found")
    parsed: object = orjson.loads(reply.body)
    return parsed


def _text(parameter: object) -> str:
    # An Enum may be a str, too, whose own text is the name of the class.
    return parameter if type(parameter) is str else values.dumps(parameter).decode().strip('"')
