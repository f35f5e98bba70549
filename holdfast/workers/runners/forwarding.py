"""What processors send on: the children, and the records on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from holdfast.topology.processor_nodes import ChildSpec
from holdfast.workers.codec.arrow_batch import write_batch
from holdfast.workers.codec.column_encoder import WrongType
from holdfast.workers.codec.row_codec import RowCodec
from holdfast.workers.codec.timestamps import to_milliseconds
from holdfast.workers.processor_api import Record

HEADERS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))


class Origin(NamedTuple):
    """What the processors run for: the record at `at`, or a punctuation (`punctuated`), negative behind all records."""

    at: int
    punctuated: bool
    time: int
    key: object
    headers: Mapping[str, bytes | None] | None


class Forward(NamedTuple):
    """A record on its child on; `same`: its headers are those of the record that caused it.

    `inside`: its key must be one of this task, which the kernel checks.
    """

    at: int
    number: int
    inside: bool
    time: int
    same: bool
    headers: Sequence[Mapping[str, str | bytes | None]] | None
    key: object
    value: object


class ChildCodecs:
    """The codecs of what is forwarded to a child."""

    def __init__(self, id: str, spec: ChildSpec) -> None:
        self.id = id
        self.name = spec.name
        self.rekeyed = spec.rekeyed
        self.has_own_types = spec.has_own_types
        self.keys = RowCodec(spec.key, spec.classes[0], f"{self.title}: key")
        self.values = RowCodec(spec.value, spec.classes[1], f"{self.title}: value")
        self._encode_key = [self.keys.encoder(careful) for careful in (False, True)]
        self._encode_value = [self.values.encoder(careful) for careful in (False, True)]

    @property
    def title(self) -> str:
        """How errors call it."""
        return f"forward to {self.name!r}" if self.name else "forward"

    def encode(self, record: Record[object, object], cause: Origin, number: int, careful: bool) -> Forward:
        """The record as plain data; one of other types is refused."""
        if not self.rekeyed and not cause.punctuated and record.key != cause.key:
            raise WrongType(
                f"{self.title}: the key was {cause.key!r} and is {record.key!r}; a processor that changes keys "
                "declares both types: returns = (key type, value type)"
            )
        same = cause.headers is not None and record.headers is cause.headers
        return Forward(
            cause.at,
            number,
            cause.punctuated and not self.rekeyed,
            to_milliseconds(record.timestamp),
            same,
            None if same else self._headers(record.headers),
            self._encode_key[careful](record.key),
            self._encode_value[careful](record.value),
        )

    def _headers(self, headers: object) -> list[dict[str, str | bytes | None]]:
        if not isinstance(headers, Mapping):
            raise WrongType(f"{self.title}: headers: a dict of bytes was wanted, {headers!r} came")
        for name, value in headers.items():
            if not isinstance(name, str) or not isinstance(value, (bytes, type(None))):
                raise WrongType(f"{self.title}: headers: names are str and values bytes, {name!r}: {value!r} came")
            name.encode()  # one that cannot be written fails here, for this record
        return [{"name": name, "value": value} for name, value in headers.items()]

    def encode_all(self, rows: list[Forward]) -> bytes:
        """What was forwarded to this child, for the kernel."""
        columns: list[Sequence[object]] = list(zip(*rows, strict=True)) if rows else [[] for _ in Forward._fields]
        types = [pa.int32(), pa.int32(), pa.bool_(), pa.int64(), pa.bool_(), HEADERS, self.keys.type, self.values.type]
        named = zip(Forward._fields, columns, types, strict=True)
        return write_batch({name: pa.array(column, type_) for name, column, type_ in named})
