"""States of keys as JSON documents: readable, and as evolvable as JSON is."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import orjson

from holdfast.calls.classes import Classes
from holdfast.calls.documents import encoder, fields_of, maker
from holdfast.calls.writing import WrongType
from holdfast.topics.types import T

_LONG = 1 << 63
_PLAIN: dict[Any, type] = {"long": int, "string": str, "boolean": bool, "double": float}


class States:
    """How the states of a class are written and read; `several` says that its fields are states of their own.

    >>> from dataclasses import dataclass
    >>> from holdfast.calls.classes import classes_of
    >>> from holdfast.topics.types import type_of
    >>> @dataclass
    ... class Visits:
    ...     n: int = 0
    >>> states = States(type_of(Visits, "state"), classes_of(Visits))
    >>> states.dump(Visits(3)), states.load(b'{"n":4,"gone":true}')
    (b'{"n":3}', Visits(n=4))
    """

    def __init__(self, type_: T, classes: Classes, *, several: bool = False) -> None:
        self.fresh = cls = classes.cls
        self._several = several
        self._fields = fields_of(type_, classes)
        self._make = maker(self._fields, cls)
        self._encode = encoder(type_, classes)
        self._parse: Any = _exact if "decimal" in json.dumps(type_) else orjson.loads
        plain = not several and not hasattr(cls, "__slots__")
        kinds = [_PLAIN.get(each["type"] if isinstance(each["type"], str) else None) for each in type_["fields"]]
        self._kinds = tuple(kinds) if plain and all(kinds) else None
        self._names = [each.name for each in self._fields]
        self._whole = [name for name, kind in zip(self._names, kinds, strict=True) if kind is int]
        self._broken = [name for name, kind in zip(self._names, kinds, strict=True) if kind is float]

    def load(self, document: bytes) -> Any:
        """The state that was written."""
        made = self._make(self._parse(document))
        if self._several:
            for each in self._fields:
                if getattr(made, each.name) is None:
                    setattr(made, each.name, each.missing())
        return made

    def dump(self, state: Any) -> bytes | None:
        """The state as a document, None if there is none left; a wrong type in it is refused."""
        if self._kinds is not None and type(state) is self.fresh:
            own = state.__dict__
            if tuple(map(type, own.values())) == self._kinds and [*own] == self._names and self._fits(own):
                return _dumped(own)
        document = self._encode(state, "state")
        if self._several:
            document = {name: value for name, value in document.items() if value is not None}
        return None if self._several and not document else _dumped(document)

    def _fits(self, own: dict[str, Any]) -> bool:
        for name in self._whole:
            if not -_LONG <= own[name] < _LONG:
                return False
        return all(own[name] - own[name] == 0.0 for name in self._broken)


def _dumped(document: Any) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError as error:
        raise WrongType(f"state cannot be written as JSON: {error}") from None


def _exact(document: bytes) -> Any:
    return json.loads(document, parse_float=Decimal)
