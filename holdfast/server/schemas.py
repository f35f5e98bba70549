"""JSON Schema of what a route's parameters may be."""

from __future__ import annotations

import types as python_types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from holdfast.documents import Document

_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    int: {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    str: {"type": "string"},
    bytes: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Decimal: {"type": "number"},
    list: {"type": "array"},
    dict: {"type": "object"},
}


def schema_of(wanted: object) -> Document:
    """The schema of an annotation; anything is allowed where it says nothing.

    >>> schema_of(list[bool])
    {'type': 'array', 'items': {'type': 'boolean'}}
    """
    origin = get_origin(wanted)
    if wanted in _SIMPLE:
        return dict(_SIMPLE[wanted])
    if origin is list:
        return {"type": "array", "items": schema_of(get_args(wanted)[0])}
    if origin in (Union, python_types.UnionType):
        inner = [each for each in get_args(wanted) if each is not type(None)]
        return schema_of(inner[0]) if len(inner) == 1 else {}
    if origin is Literal:
        return {"enum": list(get_args(wanted))}
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return {"enum": [each.value for each in wanted]}
    return _record(wanted) if is_dataclass(wanted) else dict(_SIMPLE.get(origin, {}))


def _record(wanted: Any) -> Document:
    hints = get_type_hints(wanted)
    required = [f.name for f in fields(wanted) if f.default is MISSING and f.default_factory is MISSING]
    properties = {f.name: schema_of(hints[f.name]) for f in fields(wanted)}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
