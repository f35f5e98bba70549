"""The questions that a store answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from holdfast.client.requests import Question, Reply, to_store
from holdfast.client.store_types import StoreTypes
from holdfast.client.subscription import Subscription
from holdfast.documents import Document
from holdfast.errors import KeyNotFound
from holdfast.units.time import FIRST

Entry = tuple[Any, Any]  # a key and a value, whose types only the app knows
MOST_KEYS = 10_000
_PAGE = "1000"
_MISSING = 404
_FIRST = str(FIRST)


def value_of(store: StoreTypes, key: object) -> Question[object]:
    """The value of a key, or KeyNotFound."""
    reply = yield to_store(store.name, "/get", {"key": store.written_key(key)})
    return _found(store, reply, f"store {store.name!r} has no key {key!r}")


def value_at(store: StoreTypes, key: object, time: int) -> Question[object]:
    """The value that a key of a versioned store had at a time, or KeyNotFound."""
    span = {"from": str(time), "to": str(time), "limit": "1"}
    reply = yield to_store(store.name, "/get", {"key": store.written_key(key), **span})
    missing = f"store {store.name!r} knows no value of {key!r} at {time} ms"
    if reply.status == _MISSING:
        raise KeyNotFound(missing)
    versions = store.page_of(reply.body)["entries"]
    if not versions:
        raise KeyNotFound(missing)
    return store.values_of([versions[0]["value"]])[0]


def values_of(store: StoreTypes, keys: Sequence[object]) -> Question[dict[object, object]]:
    """The values of those of the keys that there are."""
    found: dict[object, object] = {}
    at = 0
    while at < len(keys):
        asked = keys[at : at + MOST_KEYS]
        reply = yield to_store(store.name, "/keys", {"keys": [store.written_key(key) for key in asked]})
        answered = store.page_of(reply.body)["values"]
        for key, value in zip(asked, store.values_of(answered), strict=False):
            if value is not None:
                found[store.keys.hashable(key)] = value
        at += len(answered)
    return found


def count(store: StoreTypes) -> Question[int]:
    """How many keys there are."""
    reply = yield to_store(store.name, "/count")
    counted: int = orjson.loads(reply.body)["count"]
    return counted


def page(
    store: StoreTypes, parameters: Document, below: str = "/page", after: str | None = None
) -> Question[tuple[list[Entry], str | None]]:
    """Entries and where the next ones begin, None at the end."""
    asked = {**parameters, "limit": _PAGE, **({} if after is None else {"after": after})}
    reply = yield to_store(store.name, below, asked)
    found = store.page_of(reply.body)
    return [store.entry_of(row) for row in found["entries"]], found["next"]


def in_range(store: StoreTypes, start: object, end: object, prefix: object, reverse: bool) -> Document:
    """The parameters of the entries between two keys."""
    asked: Document = {name: store.text(key) for name, key in (("from", start), ("to", end)) if key is not None}
    if prefix is not None:
        asked["prefix"] = store.prefix_text(prefix)
    return {**asked, "reverse": "true"} if reverse else asked


def watched(
    store: StoreTypes, keys: Sequence[object], start: object, end: object, prefix: object, after: int | str | None
) -> Subscription:
    """A subscription to keys or a range, or to everything."""
    return Subscription(store, in_range(store, start, end, prefix, False), [store.text(key) for key in keys], after)


def in_span(start: object, end: object, reverse: bool = False) -> Document:
    """The parameters of windows that begin between two times."""
    backwards = {"reverse": "true"} if reverse else {}
    return {**backwards, **_span(start, end)}


def _span(start: object, end: object) -> Document:
    return {name: str(time) for name, time in (("from", start), ("to", end)) if time is not None}


def of_windows(store: StoreTypes, key: object, start: object, end: object, reverse: bool = False) -> Document:
    """The parameters of the windows of a key."""
    from_beginning = {} if start is not None or end is not None else {"from": _FIRST}
    return {"key": store.written_window_key(key), **from_beginning, **in_span(start, end, reverse)}


def _found(store: StoreTypes, reply: Reply, missing: str) -> object:
    if reply.status == _MISSING:
        raise KeyNotFound(missing)
    return store.value_of(reply.body)
