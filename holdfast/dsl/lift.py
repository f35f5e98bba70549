"""Plain Python values as expressions: constants, records, arrays."""

from __future__ import annotations

import base64
import dataclasses
import enum
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from holdfast.dsl.columns import Expression, tree_of, type_of_expression
from holdfast.dsl.position import user_position
from holdfast.dsl.pyspark_columns import column_tree
from holdfast.errors import ExpressionError
from holdfast.topics.types import T, type_of
from holdfast.topology import shapes
from holdfast.topology.widening import mismatch, scale_of


def lift(value: Any) -> Expression:
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


def _scalar(value: Any) -> Expression:
    if isinstance(value, float) and not math.isfinite(value):
        name = "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        return _typed(name, "double")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ExpressionError(f"the constant {value} does not fit 64 bits; use Decimal({value})", at=user_position())
    if isinstance(value, int) and not isinstance(value, bool):
        return _typed(value, "long")
    return Expression({"lit": value})


def _typed(value: Any, type_: T) -> Expression:
    return Expression({"lit": value, "type": type_}, type_)


def _other(value: Any) -> Expression:
    if isinstance(value, (bytes, bytearray)):
        return _typed(base64.b64encode(value).decode(), "binary")
    if isinstance(value, datetime):
        return _typed(_iso(value), "timestamp")
    if isinstance(value, date):
        return _typed(value.isoformat(), "date")
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


def _decimal_type(value: Decimal) -> str:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ExpressionError(f"{value} is not a number that Spark's decimal has", at=user_position())
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale, 1)
    if precision > 38:
        raise ExpressionError(f"the constant {value} has more than 38 digits", at=user_position())
    return f"decimal({precision},{scale})"


def _record(fields: Mapping[Any, Any]) -> Expression:
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
    return Expression(tree, shapes.record_of([(name, type_of_expression(each)) for name, each in fields]))


def _array(elements: list[Expression]) -> Expression:
    types = [type_of_expression(each) for each in elements]
    common = types[0] if types and all(each == types[0] for each in types) else None
    return Expression({"array": [tree_of(each) for each in elements]}, shapes.array_of(common))


def _dataclass(value: Any) -> Expression:
    """A record whose fields have the declared types."""
    declared = type_of(type(value), type(value).__name__)
    fields = []
    for each in declared["fields"]:
        place = f"{type(value).__name__}.{each['name']}"
        fields.append((each["name"], as_declared(lift(getattr(value, each["name"])), each["type"], place)))
    tree = {"struct": [[name, tree_of(each)] for name, each in fields]}
    return Expression(tree, declared)


def as_type(expression: Expression, type_: T) -> Expression:
    """The expression cast to a type, unless it has it; the fields of a record made here go by name, not by place."""
    if type_of_expression(expression) == type_:
        return expression
    tree = tree_of(expression)
    if shapes.is_record(type_) and "struct" in tree:
        return _record_as(expression, type_, lambda each, wanted, _: as_type(each, wanted))
    return Expression({"cast": tree, "to": type_}, type_)


def as_declared(expression: Expression, type_: T, place: str) -> Expression:
    """The expression as the type that its place has; refused if something would be lost."""
    tree, made = tree_of(expression), type_of_expression(expression)
    if made == type_ or tree.get("lit", ...) is None or _is_exact(tree, type_):
        return as_type(expression, type_)
    if shapes.is_record(type_) and "struct" in tree:
        return _record_as(expression, type_, lambda each, wanted, name: as_declared(each, wanted, f"{place}.{name}"))
    wrong = mismatch(made, type_)
    if wrong:
        place = ".".join([place, *wrong.path])
        came = repr(tree["lit"]) if "lit" in tree else shapes.ddl(wrong.made)
        wanted = shapes.ddl(wrong.wanted)
        raise ExpressionError(
            f"{place} is declared {wanted}, {came} came, which it cannot hold; declare a type that can, or write "
            f"F.cast(x, {wanted.lower()!r})",
            at=user_position(),
        )
    sure = _is_sure(made, type_)
    return Expression({"cast": tree, "to": type_, **({} if sure else {"declared": True})}, type_)


def _is_exact(tree: Any, type_: T) -> bool:
    """Whether a constant is a value of the type, as 2.0 is a whole number."""
    value = tree.get("lit")
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not shapes.is_number(type_):
        return False
    if type_ in shapes.INTEGERS:
        return value == int(value)
    scale = scale_of(type_)
    return scale is None or -int(Decimal(repr(value)).normalize().as_tuple().exponent) <= scale


def _is_sure(made: T, type_: T) -> bool:
    """Whether a cast by the places of fields does what it should: all is known, and fields have the same order."""
    if not shapes.is_known(made) or not shapes.is_known(type_):
        return False
    kind = shapes.kind_of(type_)
    if kind == "struct":
        same = shapes.field_names(made) == shapes.field_names(type_)
        return same and all(
            _is_sure(a["type"], b["type"]) for a, b in zip(made["fields"], type_["fields"], strict=True)
        )
    parts = {"array": ("elementType",), "map": ("keyType", "valueType")}.get(str(kind), ())
    return all(_is_sure(made[part], type_[part]) for part in parts)


def _record_as(record: Expression, type_: T, convert: Callable[[Expression, T, str], Expression]) -> Expression:
    made, wanted = dict(tree_of(record)["struct"]), shapes.field_names(type_)
    if set(made) != set(wanted):
        raise ExpressionError(
            f"record({', '.join(made)}) was made, record({', '.join(wanted)}) is declared", at=user_position()
        )
    types = type_of_expression(record)
    fields = []
    for name in wanted:
        each = Expression(made[name], shapes.field_type(types, name))
        fields.append([name, tree_of(convert(each, shapes.field_type(type_, name), name))])
    return Expression({"struct": fields}, type_)
