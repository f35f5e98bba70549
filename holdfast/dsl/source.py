"""The node of a source; two reads of a topic in the same way share one node."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypedDict

from holdfast.documents import Document
from holdfast.dsl.lambdas import Scope, expression
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topics.serde import Serde, serde_of
from holdfast.topology.graph import StoreOptions
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Store
from holdfast.topology.sources import Source
from holdfast.types import DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ, UNKNOWN
from holdfast.units.duration import milliseconds
from holdfast.units.time import TimeSource, check_timezone

if TYPE_CHECKING:
    from holdfast.dsl.app import App

MAX_AHEAD = "1 day"
"""How far the time of a record may be ahead of the clock, unless the source says otherwise."""

_TIMES = (TIMESTAMP, TIMESTAMP_NTZ, DATE)


@dataclass(frozen=True)
class SourceOptions:
    """The options of a source."""

    value: object
    key: object
    max_ahead: str | timedelta | None
    timestamp: object = None
    timezone: str = "UTC"
    on_error: str | None = None
    close_on_idle: str | timedelta | None = None


class SourceFields(TypedDict):
    """The fields of a source."""

    kind: str
    topics: tuple[str, ...]
    key: Serde
    value: Serde
    timestamp: Document
    on_error: str
    close_on_idle: int | None
    max_ahead: int | None


class DataFrameFields(TypedDict):
    """The fields of a DataFrame source."""

    key: E | None
    timestamp: E | None


def source_node(
    app: App, kind: str, topics: tuple[str, ...], store: StoreOptions | None, options: SourceOptions
) -> Source:
    """The source of these topics: a new node, or the one that reads them already."""
    if not topics:
        raise TopologyError("no topic to read; name one", at=user_position())
    title = "+".join(map(str, topics))
    keys, values = serde_of(options.key, f"{title}: key"), serde_of(options.value, f"{title}: value")
    given: SourceFields = {
        "kind": kind,
        "topics": topics,
        "key": keys,
        "value": values,
        "timestamp": _timestamp(options.timestamp, options.timezone, keys, values),
        "on_error": app.settings.on_error if options.on_error is None else options.on_error,
        "close_on_idle": _idle(options.close_on_idle, title),
        "max_ahead": None if options.max_ahead is None else milliseconds(options.max_ahead, f"{title}: max_ahead"),
    }
    known = _same(app, given, store)
    node = known or app.graph.add(Source, [], at=user_position(), id=title, store=store, **given)
    declared = (("key", options.key), ("value", options.value))
    app.graph.classes[node.id] = {name: cls for name, cls in declared if isinstance(cls, type) and is_dataclass(cls)}
    return node


def _idle(given: str | timedelta | None, title: str) -> int | None:
    if given is None:
        return None
    length = milliseconds(given, f"{title}: close_on_idle")
    if length == 0:
        raise TopologyError(f"{title}: close_on_idle is no time at all; give at least 1 ms", at=user_position())
    return length


def _same(app: App, given: SourceFields, store: StoreOptions | None) -> Source | None:
    for node in app.graph.nodes:
        same = isinstance(node, Source) and all(getattr(node, name) == each for name, each in given.items())
        if isinstance(node, Source) and same and _options(node.backing) == store:
            return node
    return None


def _options(backing: Store | None) -> StoreOptions | None:
    if backing is None:
        return None
    return StoreOptions(**{field.name: getattr(backing, field.name) for field in fields(StoreOptions)})


def _timestamp(given: object, timezone: str, key: Serde, value: Serde) -> Document:
    at = user_position()
    if given is None or isinstance(given, TimeSource):
        if timezone != "UTC":
            raise TopologyError(
                f"timezone={timezone!r} says where the times are that timestamp= reads from a record; "
                "name the field: timestamp=, or leave timezone= out",
                at=at,
            )
        return {"from": given.origin if given else "record"}
    scope = Scope({"value": value.type, "key": key.type}, (("value",), ("key", "value")))
    tree = expression(given, scope, "timestamp=")
    _check_time(tree, scope, at)
    return {"from": "expr", "expr": tree, "timezone": check_timezone(timezone, at)}


def _check_time(tree: E, scope: Scope, at: str) -> None:
    type_ = infer(tree, scope.slots)
    if not type_.is_known or type_ in _TIMES or type_ == STRING or type_.is_number:
        return
    raise TopologyError(f"timestamp= is {type_.in_words()}; a timestamp, ISO text or milliseconds were wanted", at=at)


def dataframe_fields(key: object, timestamp: object) -> DataFrameFields:
    """The fields of a DataFrame source; only Spark knows its columns."""
    scope = Scope({"value": UNKNOWN}, (("value",),))
    return {
        "key": None if key is None else expression(key, scope, "key="),
        "timestamp": None if timestamp is None else expression(timestamp, scope, "timestamp="),
    }
