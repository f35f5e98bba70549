"""What of a store a statement wants: conditions on its keys become point and range reads of the replica.

A read may have more than is wanted, never less: DuckDB checks every condition again. So whatever is not
understood here is no condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from holdfast.server.sql.statement import Node, Parameters, TableReference
from holdfast.stores.catalog import Store
from holdfast.stores.columns import KEY, WINDOW_START, TableColumns
from holdfast.stores.keys import Bounds
from holdfast.stores.types import WrongType
from holdfast.types import STRING, TIMESTAMP, DataType, Scalar, Struct

MOST_POINTS = 10_000
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?(Z|[+-]\d\d:\d\d)?")
_MIRRORED = {"<": ">", ">": "<", "=": "="}
_COMPARISONS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_GREATERTHANOREQUALTO": ">",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_LESSTHANOREQUALTO": "<",
}
_UNKNOWN = object()


@dataclass(frozen=True)
class KeyRead:
    """What to read of a store: some keys, or a range of them; neither means everything."""

    points: Sequence[bytes] | None = None
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def is_everything(self) -> bool:
        """Whether the store is read from end to end."""
        return self.points is None and self.bounds == Bounds()


@dataclass
class ColumnLimits:
    """What is known of one column: which values it has at most, and between which it lies."""

    values: list[object] | None = None
    low: object = None
    high: object = None


def key_read(store: Store, reference: TableReference, parameters: Parameters) -> KeyRead:
    """What one SELECT from one store reads of it."""
    select = reference.select
    if select is None or select.get("where_clause") is None or select.get("sample"):
        return KeyRead()
    table = (reference.alias or reference.name).lower()
    columns = {column.name.lower() for column in TableColumns.of(store.key, store.value).all}
    if table in columns:  # what stands before a dot may be a column
        return KeyRead()
    found: dict[tuple[str, ...], ColumnLimits] = {}
    for path, operator, values in _conditions(select["where_clause"], table, parameters):
        _narrow(found.setdefault(path, ColumnLimits()), operator, values)
    try:
        return _read(store, found)
    except (WrongType, UnicodeError, OverflowError):
        return KeyRead()


Condition = tuple[tuple[str, ...], str, list[object]]


def _conditions(node: Node, table: str, parameters: Parameters) -> Iterator[Condition]:
    """Conditions that all hold: a column, how it compares, and with what."""
    kind = node["type"]
    if kind == "CONJUNCTION_AND":
        for child in node["children"]:
            yield from _conditions(child, table, parameters)
    elif kind in _COMPARISONS:
        operator = _COMPARISONS[kind]
        for one, other, how in (("left", "right", operator), ("right", "left", _MIRRORED[operator])):
            if (path := _column(node[one], table)) is not None:
                yield path, how, [_constant(node[other], parameters)]
    elif kind == "COMPARE_IN" and (path := _column(node["children"][0], table)) is not None:
        yield path, "=", [_constant(each, parameters) for each in node["children"][1:]]
    elif kind == "COMPARE_BETWEEN" and (path := _column(node["input"], table)) is not None:
        yield path, ">", [_constant(node["lower"], parameters)]
        yield path, "<", [_constant(node["upper"], parameters)]


def _column(node: Node, table: str) -> tuple[str, ...] | None:
    if node["type"] != "COLUMN_REF":
        return None
    names = tuple(str(name).lower() for name in node["column_names"])
    return names[1:] if len(names) > 1 and names[0] == table else names


def _constant(node: Node, parameters: Parameters) -> object:
    match node["type"]:
        case "VALUE_CONSTANT" if "literal" in node:
            return _literal(node["literal"])
        case "VALUE_PARAMETER":
            return _parameter(str(node["identifier"]), parameters)
        case "OPERATOR_CAST" if _is_instant(node.get("type_expr") or {}):
            value = _constant(node["child"], parameters)
            return value if isinstance(value, str) and _INSTANT.fullmatch(value) else _UNKNOWN
    return _UNKNOWN


def _is_instant(of: Node) -> bool:
    return str(of.get("type_name", "")).lower() in ("timestamp", "timestamptz", "timestamp with time zone")


def _literal(literal: Node) -> object:
    if literal["kind"] == "STRING":
        return str(literal["text"])
    return int(literal["text"]) if literal["kind"] == "INTEGER" and len(literal["text"]) < 40 else _UNKNOWN


def _parameter(name: str, parameters: Parameters) -> object:
    if isinstance(parameters, Mapping):
        return parameters.get(name, _UNKNOWN)
    at = int(name) - 1 if name.isdecimal() else -1
    return parameters[at] if 0 <= at < len(parameters) else _UNKNOWN


def _narrow(limits: ColumnLimits, operator: str, values: list[object]) -> None:
    if any(value is _UNKNOWN or value is None for value in values):
        return
    if operator == "=":
        if limits.values is None or len(values) < len(limits.values):
            limits.values = values
    elif operator == ">":
        limits.low = values[0] if limits.low is None else limits.low
    else:
        limits.high = values[0] if limits.high is None else limits.high


def _read(store: Store, found: Mapping[tuple[str, ...], ColumnLimits]) -> KeyRead:
    keys, whole = store.keys, found.get((KEY,), ColumnLimits())
    if not isinstance(store.key, Struct):
        return _scalar_read(store, whole)
    if TableColumns.of(store.key, store.value).is_windowed:
        inner = _reader(store.key.field(KEY))
        if inner is None or whole.values is None or len(whole.values) != 1:
            return KeyRead()
        start = found.get((WINDOW_START,), ColumnLimits())
        only = start.values if start.values is not None and len(start.values) == 1 else None
        ends = (only or [start.low])[0], (only or [start.high])[0]
        times = [None if each is None else _instant(each) for each in ends]
        return KeyRead(bounds=keys.window_bounds(inner(whole.values[0]), *times))
    return KeyRead(bounds=keys.bounds(prefix=leading)) if (leading := _leading(store.key, found)) else KeyRead()


def _scalar_read(store: Store, limits: ColumnLimits) -> KeyRead:
    read = _reader(store.key)
    if read is None:
        return KeyRead()
    if limits.values is not None and len(limits.values) <= MOST_POINTS:
        return KeyRead(points=sorted({store.keys.encode(read(value)) for value in limits.values}))
    low, high = (None if each is None else read(each) for each in (limits.low, limits.high))
    return KeyRead(bounds=store.keys.bounds(low, high))


def _leading(key: Struct, found: Mapping[tuple[str, ...], ColumnLimits]) -> list[object]:
    """The values of the leading fields of a record key, as far as they are known."""
    leading: list[object] = []
    for part in key.fields:
        limits, read = found.get((KEY, part.name.lower())), _reader(part.type)
        if limits is None or limits.values is None or len(limits.values) != 1 or read is None:
            break
        leading.append(read(limits.values[0]))
    return leading


def _reader(of: DataType) -> Callable[[object], object] | None:
    """What makes a key of a constant where both compare as DuckDB would; None if that is not known."""
    if of == STRING:
        return _text
    if of == TIMESTAMP:
        return _instant
    return _integer if isinstance(of, Scalar) and of.is_integer else None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise WrongType("not a text")
    return value


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongType("not a whole number")
    return value


def _instant(value: object) -> Any:  # as the codec of keys takes it
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _INSTANT.fullmatch(value):
        raise WrongType("not a time")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise WrongType("not a time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
