"""Keys and values as the replica has them, decoded many at a time into columns of Arrow."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.json as pj

from holdfast.stores.catalog import Store
from holdfast.stores.columns import VALUE, TableColumns
from holdfast.stores.types import WrongType
from holdfast.topics.windowed import Windowed
from holdfast.types import STRING, TIMESTAMP, TIMESTAMP_NTZ, Array, DataType, Decimal, Scalar, Struct, TypeVisitor
from holdfast.workers.codec.arrow_types import arrow_type

Entries = Sequence[tuple[bytes, bytes]]
DecodeKeys = Callable[[Sequence[bytes]], pa.Array]
_MARK = 1
_TIMES = 18  # bytes of the two times that end the key of a window
_PARSED = frozenset(["byte", "short", "integer", "long", "float", "double", "boolean", "string", "timestamp",
                     "timestamp_ntz"])  # fmt: skip


class TableDecoder:
    """Makes batches of a store's entries, with the columns of its table."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._columns = TableColumns.of(store.key, store.value)
        self.schema = pa.schema([(each.name, arrow_type(each.type)) for each in self._columns.all])
        self._key_type = arrow_type(self._columns.key[0].type)
        self._is_parsed = _IsParsed().visit(store.value)

    def batch(self, entries: Entries) -> pa.RecordBatch:
        """Some entries as columns."""
        keys, values = [key for key, _ in entries], [value for _, value in entries]
        return pa.record_batch([*self._keys(keys), *self._values(values)], self.schema)

    def _keys(self, keys: Sequence[bytes]) -> list[pa.Array]:
        of = self._columns.key[0].type
        if self._columns.is_windowed:
            return self._windows(keys, _bulk_keys(of, is_inner=True))
        bulk = _bulk_keys(of, is_inner=False)
        try:
            return [bulk(keys)] if bulk is not None else [self._one_by_one(keys)]
        except (WrongType, pa.ArrowInvalid):
            return [self._one_by_one(keys)]

    def _windows(self, keys: Sequence[bytes], bulk: DecodeKeys | None) -> list[pa.Array]:
        """Keys, and the beginnings and ends of their windows."""
        try:
            if bulk is None:
                raise WrongType("keys that are decoded one by one")
            starts, ends = [key[-_TIMES:-9] for key in keys], [key[-9:] for key in keys]
            times = [_times(TIMESTAMP, each) for each in (starts, ends)]
            return [bulk([key[1:-_TIMES] for key in keys]), *times]
        except (WrongType, pa.ArrowInvalid):
            found = [self._store.keys.decode(key) for key in keys]
            windows = [each for each in found if isinstance(each, Windowed)]
            parts = ([_plain(w.key) for w in windows], [w.start for w in windows], [w.end for w in windows])
            return [pa.array(part, of) for part, of in zip(parts, self.schema.types[:3], strict=True)]

    def _one_by_one(self, keys: Sequence[bytes]) -> pa.Array:
        return pa.array([_plain(self._store.keys.decode(key)) for key in keys], self._key_type)

    def _values(self, values: Sequence[bytes]) -> list[pa.Array]:
        own = arrow_type(self._store.value)
        if self._is_parsed:
            try:
                return self._parsed(values, own)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError):
                pass  # a number that is written as text, a text that is no UTF-8: read one by one
        found = pa.array([self._store.read_value(value) for value in values], own)
        return self._fields(found) if self._columns.is_record else [found]

    def _parsed(self, values: Sequence[bytes], own: pa.DataType) -> list[pa.Array]:
        """Values by Arrow's parser of JSON lines."""
        data = b'{"value":' + b'}\n{"value":'.join(values) + b"}\n"
        options = pj.ParseOptions(
            explicit_schema=pa.schema([(VALUE, own)]), newlines_in_values=False, unexpected_field_behavior="ignore"
        )
        blocks = pj.ReadOptions(use_threads=False, block_size=len(data) + 1)
        table = pj.read_json(io.BytesIO(data), read_options=blocks, parse_options=options)
        if table.num_rows != len(values):
            raise pa.ArrowInvalid("a value is more than a line")
        found = table.column(VALUE).combine_chunks()
        found = found.chunk(0) if isinstance(found, pa.ChunkedArray) else found
        return self._fields(found) if self._columns.is_record else [found]

    def _fields(self, records: pa.Array) -> list[pa.Array]:
        return list(records.flatten())


def _bulk_keys(of: DataType, *, is_inner: bool) -> DecodeKeys | None:
    """What decodes keys of a type at once, if there is something; those inside of a record end with zeros."""
    if of == STRING:
        return _inner_texts if is_inner else _texts
    if isinstance(of, Scalar) and of.is_integer:
        return partial(_integers, of.bits // 8)
    return partial(_times, of) if of in (TIMESTAMP, TIMESTAMP_NTZ) else None


def _integers(width: int, keys: Sequence[bytes]) -> pa.Array:
    """Whole numbers: a mark, and then big-endian bytes of which the sign is flipped."""
    joined = bytearray(b"".join(keys))
    if len(joined) != len(keys) * (width + 1) or joined[:: width + 1].count(_MARK) != len(keys):
        raise WrongType("keys with nulls")
    del joined[:: width + 1]
    joined[::width] = joined[::width].translate(_FLIPPED)
    swapped = bytearray(len(joined))
    for at in range(width):
        swapped[at::width] = joined[width - 1 - at :: width]
    types = {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}
    return pa.Array.from_buffers(types[width], len(keys), [None, pa.py_buffer(bytes(swapped))])


_FLIPPED = bytes(each ^ 0x80 for each in range(256))


def _times(of: DataType, keys: Sequence[bytes]) -> pa.Array:
    return _integers(8, keys).view(pa.timestamp("us")).cast(arrow_type(of))


def _texts(keys: Sequence[bytes]) -> pa.Array:
    return pa.array([key[1:] for key in keys], pa.binary()).cast(pa.string())


def _inner_texts(keys: Sequence[bytes]) -> pa.Array:
    if not all(key[0] == _MARK for key in keys):
        raise WrongType("keys with nulls")
    return pa.array([key[1:-2].replace(b"\x00\xff", b"\x00") for key in keys], pa.binary()).cast(pa.string())


def _plain(key: object) -> object:
    """A key as Arrow takes it: text that is no UTF-8 cannot be shown as it is."""
    return key.encode(errors="replace").decode() if isinstance(key, str) else key


class _IsParsed(TypeVisitor[bool]):
    """Whether Arrow's parser reads JSON of a type as we do."""

    def scalar(self, of: Scalar) -> bool:
        return of.name in _PARSED

    def decimal(self, of: Decimal) -> bool:
        return True

    def array(self, of: Array) -> bool:
        return self.visit(of.element)

    def struct(self, of: Struct) -> bool:
        return bool(of.fields) and all(self.visit(each.type) and each.default is None for each in of.fields)

    def other(self, of: DataType) -> bool:
        return False
