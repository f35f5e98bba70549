"""States of keys as JSON documents: readable, and as evolvable as JSON is."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal

import orjson

from holdfast.documents import Document
from holdfast.types import DataType, Struct
from holdfast.types.comparing import has_decimal
from holdfast.types.value_classes import Classes
from holdfast.workers.codec.column_encoder import WrongType
from holdfast.workers.codec.fast_json import NeedsCheck, fast_encoder
from holdfast.workers.codec.json_codec import fields_of, json_encoder, struct_decoder


class StateCodec:
    """How the states of a class are written and read; `several` says that its fields are states of their own.

    >>> from dataclasses import dataclass
    >>> from holdfast.types.value_classes import classes_of
    >>> from holdfast.types.type_hints import type_of
    >>> @dataclass
    ... class Visits:
    ...     n: int = 0
    >>> states = StateCodec(type_of(Visits, "state"), classes_of(Visits))
    >>> states.dump(Visits(3)), states.load(b'{"n":4,"gone":true}')
    (b'{"n":3}', Visits(n=4))
    """

    def __init__(self, type_: DataType, classes: Classes, *, several: bool = False) -> None:
        self.fresh: Callable[[], object] = classes.cls or dict
        self._several = several
        self._fields = fields_of(type_, classes) if isinstance(type_, Struct) else []
        self._make = struct_decoder(self._fields, classes.cls)
        self._encode = json_encoder(type_, classes)
        self._encode_fast = None if several else fast_encoder(type_, classes)
        self._parse: Callable[[bytes], Document] = _with_decimals if has_decimal(type_) else orjson.loads

    def load(self, document: bytes) -> object:
        """The state that was written."""
        made = self._make(self._parse(document))
        if self._several:
            for each in self._fields:
                if getattr(made, each.name) is None:
                    setattr(made, each.name, each.missing())
        return made

    def dump(self, state: object) -> bytes | None:
        """The state as a document, None if there is none left; a wrong type in it is refused."""
        if self._encode_fast is not None:
            try:
                return orjson.dumps(self._encode_fast(state))
            except (NeedsCheck, KeyError, TypeError):
                pass  # The checks below say what is wrong, if something is.
        document = self._encode(state, "state")
        if self._several and isinstance(document, dict):
            document = {name: value for name, value in document.items() if value is not None}
        return None if self._several and not document else _dumped(document)


def _dumped(document: object) -> bytes:
    try:
        return orjson.dumps(document)
    except TypeError as error:
        raise WrongType(f"state cannot be written as JSON: {error}") from None


def _with_decimals(document: bytes) -> Document:
    made: Document = json.loads(document, parse_float=Decimal)
    return made
