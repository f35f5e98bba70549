"""What functions give, checked against the declared type, as a column of Arrow's."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa

from holdfast.types import DATE, TIMESTAMP, Array, DataType, Field, Map, Scalar, Struct, TypeVisitor
from holdfast.types import Decimal as DecimalType
from holdfast.types.value_classes import ITEM, Classes, classes_of, defaults_of
from holdfast.workers.codec.arrow_types import arrow_type
from holdfast.workers.codec.row_encoder import row_encoder

Check = Callable[[object, str], object]
_PLAIN: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "binary": (bytes, bytearray, memoryview),
}
_ANY = Classes()


class WrongType(Exception):
    """A result is not of the declared type."""


class ColumnEncoder:
    """Encodes results of one type, as parts first and then as a column.

    `encode` is called as soon as there is a result. It raises WrongType, or returns the parts of the result, which
    do not change with it; `array` makes a column of many such parts.
    """

    def __init__(self, type_: DataType, cls: object, path: str) -> None:
        self.type = arrow_type(type_)
        self._path = path
        classes = classes_of(cls)
        self._check = check = value_checker(type_, classes)
        self.encode = row_encoder(type_, classes, lambda value: check(value, path))

    def array(self, encoded: Sequence[object]) -> tuple[pa.Array, dict[int, WrongType]]:
        """The column, and what Arrow refused by index: there it holds null."""
        try:
            return pa.array(encoded, self.type), {}
        except (pa.ArrowException, ArithmeticError, ValueError, TypeError):
            return self._one_by_one(encoded)

    def _one_by_one(self, encoded: Sequence[object]) -> tuple[pa.Array, dict[int, WrongType]]:
        good: list[object] = []
        wrong: dict[int, WrongType] = {}
        for index, one in enumerate(encoded):
            try:
                checked = self._check(one, self._path)
                pa.array([checked], self.type)
            except WrongType as error:
                wrong[index], checked = error, None
            except (pa.ArrowException, ArithmeticError, ValueError, TypeError) as error:
                wrong[index], checked = WrongType(f"{self._path}: {error}"), None
            good.append(checked)
        return pa.array(good, self.type), wrong


def column_encoder(type_: DataType, cls: object = None, path: str = "result") -> ColumnEncoder:
    """What makes columns of this type; records are instances of `cls`, as a rule.

    >>> from holdfast.types import LONG
    >>> numbers = column_encoder(LONG)
    >>> numbers.array([numbers.encode(5)])[0].to_pylist()
    [5]
    """
    return ColumnEncoder(type_, cls, path)


def value_checker(type_: DataType, classes: Classes = _ANY) -> Check:
    """How a result of this type is checked; the path in the result names the field in errors.

    >>> from holdfast.types import LONG
    >>> value_checker(LONG)(5, "result")
    5
    """
    return _Checker(classes).visit(type_)


@dataclasses.dataclass(frozen=True)
class _Checker(TypeVisitor[Check]):
    classes: Classes

    def scalar(self, of: Scalar) -> Check:
        if of.is_integer:
            return _integer(of.bits)
        if of.is_number:
            return _number
        if of == TIMESTAMP:
            return _timestamp
        return _date if of == DATE else _one_of(of.name, _PLAIN.get(of.name, (object,)))

    def decimal(self, of: DecimalType) -> Check:
        return _one_of("decimal", (Decimal, int))

    def array(self, of: Array) -> Check:
        return _list(of, self.classes)

    def map(self, of: Map) -> Check:
        return _map(of, self.classes)

    def struct(self, of: Struct) -> Check:
        return _record(of, self.classes)


def _wrong(path: str, wanted: str, value: object) -> WrongType:
    return WrongType(f"{path}: {wanted} was wanted, {value!r} ({type(value).__name__}) came")


def _one_of(name: str, kinds: tuple[type, ...]) -> Check:
    def check(value: object, path: str) -> object:
        if value is None or isinstance(value, kinds):
            return value
        raise _wrong(path, {"string": "str", "boolean": "bool", "binary": "bytes"}.get(name, name), value)

    return check


def _integer(bits: int) -> Check:
    most = 1 << (bits - 1)

    def check(value: object, path: str) -> object:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(path, "int", value)
        if not -most <= value < most:
            raise WrongType(f"{path}: {value} does not fit {bits} bits")
        return value

    return check


def _number(value: object, path: str) -> float | None:
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    raise _wrong(path, "float", value)


def _timestamp(value: object, path: str) -> datetime | None:
    if value is None:
        return None
    if not isinstance(value, datetime):
        raise _wrong(path, "datetime", value)
    if value.tzinfo is None:
        raise WrongType(f"{path}: the datetime {value} has no time zone; add one: tzinfo=timezone.utc")
    return value.astimezone(UTC)


def _date(value: object, path: str) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    raise _wrong(path, "date", value)


def _record(type_: Struct, classes: Classes) -> Check:
    fields = [_field(each, classes) for each in type_.fields]
    names, defaults = [name for name, _, _ in fields], defaults_of(classes.cls)

    def check(value: object, path: str) -> object:
        if value is None:
            return None
        found = _fields(value, names, path)
        out = []
        for name, nullable, inner in fields:
            given = defaults[name]() if name in defaults and name not in found else found.get(name)
            one = inner(given, f"{path}.{name}")
            if one is None and not nullable:
                raise WrongType(f"{path}.{name}: a value was wanted, {'null' if name in found else 'nothing'} came")
            out.append(one)
        if type(value) is dict:
            _refuse_misspelled(value, names, path)
        return tuple(out)

    return check


def _field(field: Field, classes: Classes) -> tuple[str, bool, Check]:
    return field.name, field.nullable, value_checker(field.type, classes.part(field.name))


def _refuse_misspelled(value: dict[str, object], names: list[str], path: str) -> None:
    """Refuse a name that is not one of the record's where one of the record's is missing; more names do no harm."""
    unknown = [name for name in value if name not in names]
    lacking = [name for name in names if name not in value]
    if unknown and lacking:
        raise WrongType(f"{path} has no field {unknown[0]!r}, and {lacking[0]!r} is missing; it has {', '.join(names)}")


def _fields(value: object, names: list[str], path: str) -> Mapping[str, object]:
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, tuple) and len(value) == len(names):
        return dict(zip(names, value, strict=True))
    raise _wrong(path, f"record({', '.join(names)})", value)


def _list(type_: Array, classes: Classes) -> Check:
    inner = value_checker(type_.element, classes.part(ITEM))

    def check(value: object, path: str) -> object:
        if value is None:
            return None
        if not isinstance(value, (list, tuple)):
            raise _wrong(path, "list", value)
        return [inner(each, f"{path}[{index}]") for index, each in enumerate(value)]

    return check


def _map(type_: Map, classes: Classes) -> Check:
    keys, values = value_checker(type_.key), value_checker(type_.value, classes.part(ITEM))

    def check(value: object, path: str) -> object:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise _wrong(path, "dict", value)
        return {keys(key, path): values(each, f"{path}[{key!r}]") for key, each in value.items()}

    return check
