"""Plain Python values as expressions: constants, records, arrays."""

from __future__ import annotations

import base64
import dataclasses
import enum
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

from holdfast.dsl.columns import Expression, tree_of, type_of_expression
from holdfast.dsl.pyspark_columns import column_tree
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology.infer import E
from holdfast.topology.widening import mismatch
from holdfast.types import BINARY, DATE, DOUBLE, INTEGERS, LONG, TIMESTAMP, UNKNOWN, Array, DataType, Field, Map, Struct
from holdfast.types import Decimal as DecimalType
from holdfast.types.type_hints import type_of


def lift(value: object) -> Expression:
    """Make an expression of what a lambda returned: an expression, a record, an array or a constant."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, enum.Enum):
        return lift(value.value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return _scalar(value)
    if isinstance(value, Mapping):
        return _record(value)
    if isinstance(value, list):
        return _array([lift(each) for each in value])
    if isinstance(value, tuple):
        return _record({f"_{index}": each for index, each in enumerate(value, 1)})
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _dataclass(value)
    return _other(value)


def _scalar(value: object) -> Expression:
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return _typed(name, DOUBLE)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ExpressionError(f"the constant {value} does not fit 64 bits; use Decimal({value})", at=user_position())
    if isinstance(value, int) and not isinstance(value, bool):
        return _typed(value, LONG)
    return Expression({"lit": value})


def _typed(value: object, type_: DataType) -> Expression:
    return Expression({"lit": value, "type": type_.to_json()}, type_)


def _other(value: object) -> Expression:
    if isinstance(value, (bytes, bytearray)):
        return _typed(base64.b64encode(value).decode(), BINARY)
    if isinstance(value, datetime):
        return _typed(_iso(value), TIMESTAMP)
    if isinstance(value, date):
        return _typed(value.isoformat(), DATE)
    if isinstance(value, Decimal):
        return as_type(lift(str(value)), _decimal_type(value))
    if hasattr(value, "_jc"):
        return Expression(column_tree(value))
    if hasattr(value, "item") and hasattr(value, "dtype"):
        return lift(value.item())
    raise ExpressionError(
        f"{value!r} ({type(value).__name__}) cannot be part of an expression; use fields, constants, dict(...), "
        "a dataclass, a list, functions of holdfast.functions, or run it in Python: hf.python(f, returns=...)",
        at=user_position(),
    )


def _iso(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ExpressionError(
            f"the datetime {moment} has no time zone; add one: tzinfo=timezone.utc", at=user_position()
        )
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _decimal_type(value: Decimal) -> DecimalType:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ExpressionError(f"{value} is not a number that Spark's decimal has", at=user_position())
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > 38:
        raise ExpressionError(f"the constant {value} has more than 38 digits", at=user_position())
    return DecimalType(precision, scale)


def _record(fields: Mapping[str, object]) -> Expression:
    for name in fields:
        if not isinstance(name, str):
            raise ExpressionError(
                f"a record's fields have names, not {name!r}; for a map use F.create_map", at=user_position()
            )
    if not fields:
        raise ExpressionError("an empty record has no type; give it a field", at=user_position())
    return record_expression([(name, lift(each)) for name, each in fields.items()])


def record_expression(fields: list[tuple[str, Expression]]) -> Expression:
    """A record of expressions."""
    tree = {"struct": [[name, tree_of(each)] for name, each in fields]}
    return Expression(tree, Struct(Field(name, type_of_expression(each)) for name, each in fields))


def _array(elements: list[Expression]) -> Expression:
    types = [type_of_expression(each) for each in elements]
    common = types[0] if types and all(each == types[0] for each in types) else UNKNOWN
    return Expression({"array": [tree_of(each) for each in elements]}, Array(common))


def _dataclass(value: object) -> Expression:
    """A record whose fields have the declared types."""
    declared = type_of(type(value), type(value).__name__)
    assert isinstance(declared, Struct)
    fields = []
    for each in declared.fields:
        place = f"{type(value).__name__}.{each.name}"
        fields.append((each.name, as_declared(lift(getattr(value, each.name)), each.type, place)))
    tree = {"struct": [[name, tree_of(each)] for name, each in fields]}
    return Expression(tree, declared)


def as_type(expression: Expression, type_: DataType) -> Expression:
    """The expression cast to a type, unless it has it; the fields of a record made here go by name, not by place."""
    if type_of_expression(expression) == type_:
        return expression
    tree = tree_of(expression)
    if isinstance(type_, Struct) and "struct" in tree:
        return _record_as(expression, type_, lambda each, wanted, _: as_type(each, wanted))
    return Expression({"cast": tree, "to": type_.to_json()}, type_)


def as_declared(expression: Expression, type_: DataType, place: str) -> Expression:
    """The expression as the type that its place has; refused if something would be lost."""
    tree, made = tree_of(expression), type_of_expression(expression)
    if made == type_ or tree.get("lit", ...) is None or _holds_constant(tree, type_):
        return as_type(expression, type_)
    if isinstance(type_, Struct) and "struct" in tree:
        return _record_as(expression, type_, lambda each, wanted, name: as_declared(each, wanted, f"{place}.{name}"))
    wrong = mismatch(made, type_)
    if wrong:
        place = ".".join([place, *wrong.path])
        came = repr(tree["lit"]) if "lit" in tree else str(wrong.made)
        wanted = str(wrong.wanted)
        raise ExpressionError(
            f"{place} is declared {wanted}, {came} came, which it cannot hold; declare a type that can, or write "
            f"F.cast(x, {wanted.lower()!r})",
            at=user_position(),
        )
    sure = _is_sure(made, type_)
    return Expression({"cast": tree, "to": type_.to_json(), **({} if sure else {"declared": True})}, type_)


def _holds_constant(tree: E, type_: DataType) -> bool:
    """Whether a type can hold a constant without loss, as INT holds 2.0."""
    value = tree.get("lit")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not type_.is_number:
        return False
    if type_ in INTEGERS:
        return value == int(value)
    return not isinstance(type_, DecimalType) or _digits_after_the_point(value) <= type_.scale


def _digits_after_the_point(value: float) -> int:
    return -int(Decimal(repr(value)).normalize().as_tuple().exponent)


def _is_sure(made: DataType, type_: DataType) -> bool:
    """Whether a cast by the places of fields does what it should: all is known, and fields have the same order."""
    if not made.is_known or not type_.is_known:
        return False
    match made, type_:
        case Struct(), Struct():
            pairs = zip(made.fields, type_.fields, strict=False)
            return made.names == type_.names and all(_is_sure(one.type, other.type) for one, other in pairs)
        case Array(), Array():
            return _is_sure(made.element, type_.element)
        case Map(), Map():
            return _is_sure(made.key, type_.key) and _is_sure(made.value, type_.value)
    return True


def _record_as(
    record: Expression, type_: Struct, convert: Callable[[Expression, DataType, str], Expression]
) -> Expression:
    made, wanted = dict(tree_of(record)["struct"]), type_.names
    if set(made) != set(wanted):
        raise ExpressionError(
            f"record({', '.join(made)}) was made, record({', '.join(wanted)}) is declared", at=user_position()
        )
    types = type_of_expression(record)
    assert isinstance(types, Struct)
    fields = []
    for name in wanted:
        each = Expression(made[name], types.field(name))
        fields.append([name, tree_of(convert(each, type_.field(name), name))])
    return Expression({"struct": fields}, type_)
