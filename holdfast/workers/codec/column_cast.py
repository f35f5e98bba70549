"""Columns that a function gives, made columns of the declared type."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from pyarrow import types as kinds

from holdfast.types import Array, DataType, Map, Scalar, Struct, TypeVisitor
from holdfast.workers.codec.arrow_types import arrow_type
from holdfast.workers.codec.column_encoder import WrongType, value_checker

Cast = Callable[[pa.Array, str], pa.Array]


def column_cast(type_: DataType) -> Cast:
    """How a column becomes one of this type; what would lose something is refused, with the path of the column.

    >>> from holdfast.types import DOUBLE
    >>> column_cast(DOUBLE)(pa.array([1, 2]), "result").to_pylist()
    [1.0, 2.0]
    """
    return _Cast().visit(type_)


class _Cast(TypeVisitor[Cast]):
    def scalar(self, of: Scalar) -> Cast:
        return _scalars(arrow_type(of))

    def array(self, of: Array) -> Cast:
        return _each(of)

    def map(self, of: Map) -> Cast:
        return _each(of)

    def struct(self, of: Struct) -> Cast:
        return _records(of)


def as_array(given: object) -> pa.Array | None:
    """What a function gave as one array: of records if it has several columns; None if it is nothing like that.

    Batches and arrays of Arrow's are taken, what offers itself as such (Polars), and what pandas and NumPy have.
    """
    if isinstance(given, pa.RecordBatch):
        return given.to_struct_array()
    if isinstance(given, pa.Array):
        return given
    if isinstance(given, (pa.Table, pa.ChunkedArray)) or hasattr(given, "__arrow_c_stream__"):
        return _whole(given)
    if hasattr(given, "__array__") or type(given).__module__.partition(".")[0] == "pandas":
        return pa.array(given, from_pandas=True)
    return None


def _whole(given: object) -> pa.Array:
    if type(given).__module__.partition(".")[0] == "pandas":
        given = pa.Table.from_pandas(given, preserve_index=False) if hasattr(given, "columns") else pa.array(given)
    if isinstance(given, pa.Array):
        return given
    if isinstance(given, pa.Table):
        return pa.concat_arrays(given.to_struct_array().chunks) if given.num_rows else pa.nulls(0)
    chunks = pa.chunked_array(given)
    return pa.concat_arrays(chunks.chunks) if len(chunks) else pa.nulls(0)


def _scalars(wanted: pa.DataType) -> Cast:
    def fit(given: pa.Array, path: str) -> pa.Array:
        if kinds.is_dictionary(given.type):
            given = given.dictionary_decode()
        if given.type == wanted:
            return given
        if not _same_family(given.type, wanted):
            raise WrongType(f"{path}: {wanted} was wanted, {given.type} came")
        try:
            return given.cast(wanted)
        except pa.ArrowInvalid as error:
            raise WrongType(f"{path}: {wanted} was wanted, {given.type} came: {error}") from None

    return fit


def _number(kind: object) -> bool:
    return bool(kinds.is_integer(kind) or kinds.is_floating(kind))


def _text(kind: object) -> bool:
    return bool(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind))


def _bytes(kind: object) -> bool:
    views = kinds.is_binary_view(kind) or kinds.is_fixed_size_binary(kind)
    return bool(kinds.is_binary(kind) or kinds.is_large_binary(kind) or views)


_FAMILIES = (_number, _text, _bytes, kinds.is_boolean, kinds.is_date, kinds.is_decimal)


def _same_family(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of one type mean the same in the other."""
    if kinds.is_timestamp(given) and kinds.is_timestamp(wanted):
        return (given.tz is None) == (wanted.tz is None)
    if kinds.is_null(given) or (kinds.is_decimal(wanted) and kinds.is_integer(given)):
        return True
    return any(family(given) and family(wanted) for family in _FAMILIES)


def _each(type_: DataType) -> Cast:
    """Lists and maps, item by item."""
    check, wanted = value_checker(type_), arrow_type(type_)

    def fit(given: pa.Array, path: str) -> pa.Array:
        return pa.array([check(each, path) for each in given.to_pylist(maps_as_pydicts="strict")], type=wanted)

    return fit


def _records(type_: Struct) -> Cast:
    wanted = arrow_type(type_)
    names = [each.name for each in type_.fields]
    fits = [(each.name, each.nullable, column_cast(each.type)) for each in type_.fields]

    def fit(given: pa.Array, path: str) -> pa.Array:
        if kinds.is_null(given.type):
            return pa.nulls(len(given), wanted)
        found = _columns(given, names, path)
        made = []
        for index, (name, nullable, inner) in enumerate(fits):
            one = inner(found[name], f"{path}.{name}") if name in found else pa.nulls(len(given), wanted[index].type)
            if not nullable and one.null_count and _missing(one, given):
                raise WrongType(f"{path}.{name}: a value was wanted, {'null' if name in found else 'nothing'} came")
            made.append(one)
        return pa.StructArray.from_arrays(made, fields=list(wanted), mask=given.is_null())

    return fit


def _missing(part: pa.Array, record: pa.Array) -> bool:
    """Whether a field is null where its record is not."""
    return bool(part.null_count > record.null_count)


def _columns(given: pa.Array, names: list[str], path: str) -> dict[str, pa.Array]:
    if not kinds.is_struct(given.type):
        raise WrongType(f"{path}: the columns {', '.join(names)} were wanted, {given.type} came")
    came = [field.name for field in given.type]
    if not set(came) <= set(names) or len(set(came)) != len(came):
        raise WrongType(f"{path}: the columns {', '.join(names)} were wanted, {', '.join(came)} came")
    return dict(zip(came, given.flatten(), strict=True))
