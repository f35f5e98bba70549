"""Lazy expressions: what a lambda gets instead of values, and what it makes of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol, TypeVar

from holdfast.dsl.method_hints import instead_of_method
from holdfast.dsl.refusals import Refusals, refuse
from holdfast.errors import ExpressionError, UnknownField
from holdfast.names import did_you_mean, words
from holdfast.position import user_position
from holdfast.topology.infer import E, infer
from holdfast.topology.marks import MARK
from holdfast.topology.wording import wording
from holdfast.types import BOOLEAN, INTEGERS, STRING, UNKNOWN, Array, DataType, Map, Scalar, Struct

K = TypeVar("K")
V = TypeVar("V")

_COLUMN_METHODS = words(
    "alias asc astype between bitwiseAND bitwiseOR bitwiseXOR cast contains desc endswith eqNullSafe getField getItem "
    "ilike isNaN isNotNull isNull isin like name otherwise over rlike startswith substr try_cast when withField"
)


class PySparkColumn(Protocol):
    """A Column of PySpark, known by a method of its own."""

    def isNotNull(self) -> object:
        """What only a Column has."""


class Expression(Refusals):
    """A value that does not exist yet: a field of a record, or what is computed from it."""

    __slots__ = ("_hf_tree", "_hf_type")
    _hf_tree: E
    _hf_type: DataType

    def __init__(self, tree: E, type_: DataType = UNKNOWN) -> None:
        object.__setattr__(self, "_hf_tree", tree)
        object.__setattr__(self, "_hf_type", infer(tree, {}) if type_ == UNKNOWN else type_)

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)
        return field(self, name)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ExpressionError(
            f"{describe(self)} cannot be changed; make a new record: dict(record, {name}=...)", at=user_position()
        )

    def __getitem__(self, key: object) -> Expression:
        return item(self, key)

    def keys(self) -> list[str]:
        """The names of the record's fields, so that `dict(record, more=...)` copies and extends it."""
        if isinstance(self._hf_type, Struct):
            return self._hf_type.names
        if self._hf_type.is_known:
            raise ExpressionError(f"{describe(self)} is not a record and has no fields", at=user_position())
        raise ExpressionError(
            f"the fields of {describe(self)} are known to Spark only; name the ones you want: dict(a=r.a, b=r.b)",
            at=user_position(),
        )

    def __repr__(self) -> str:
        return f"<{MARK} {describe(self)}>"

    def __add__(self, other: object) -> Expression:
        return _plus(self, other)

    def __radd__(self, other: object) -> Expression:
        return _plus(other, self)

    def __sub__(self, other: object) -> Expression:
        return call("-", self, other)

    def __rsub__(self, other: object) -> Expression:
        return call("-", other, self)

    def __mul__(self, other: object) -> Expression:
        return call("*", self, other)

    def __rmul__(self, other: object) -> Expression:
        return call("*", other, self)

    def __truediv__(self, other: object) -> Expression:
        return call("/", self, other)

    def __rtruediv__(self, other: object) -> Expression:
        return call("/", other, self)

    def __floordiv__(self, other: object) -> Expression:
        return call("floor_div", self, other)

    def __rfloordiv__(self, other: object) -> Expression:
        return call("floor_div", other, self)

    def __mod__(self, other: object) -> Expression:
        return call("floor_mod", self, other)

    def __rmod__(self, other: object) -> Expression:
        return call("floor_mod", other, self)

    def __divmod__(self, other: object) -> tuple[Expression, Expression]:
        return self // other, self % other

    def __rdivmod__(self, other: object) -> tuple[Expression, Expression]:
        return other // self, other % self

    def __pow__(self, other: object) -> Expression:
        return call("pow", self, other)

    def __rpow__(self, other: object) -> Expression:
        return call("pow", other, self)

    def __neg__(self) -> Expression:
        return call("negative", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return call("abs", self)

    def __round__(self, digits: int = 0) -> Expression:
        return call("round", self, Expression({"lit": digits, "type": "integer"}))

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _compare("=", self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return call("not", _compare("=", self, other))

    def __lt__(self, other: object) -> Expression:
        return _compare("<", self, other)

    def __le__(self, other: object) -> Expression:
        return _compare("<=", self, other)

    def __gt__(self, other: object) -> Expression:
        return _compare(">", self, other)

    def __ge__(self, other: object) -> Expression:
        return _compare(">=", self, other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: object) -> Expression:
        return _logic("and", "&", self, other)

    def __rand__(self, other: object) -> Expression:
        return _logic("and", "&", other, self)

    def __or__(self, other: object) -> Expression:
        return _either(self, other)

    def __ror__(self, other: object) -> Expression:
        return _either(other, self)

    def __xor__(self, other: object) -> Expression:
        return _xor(self, other)

    def __rxor__(self, other: object) -> Expression:
        return _xor(other, self)

    def __invert__(self) -> Expression:
        _want_logic("~", self)
        return call("~" if self._hf_type in INTEGERS else "not", self)

    def __call__(self, *args: object, **more: object) -> NoReturn:
        raise ExpressionError(
            f"{describe(self)} is a field and cannot be called; helpers are functions: F.upper(x), F.cast(x, 'int')",
            at=user_position(),
        )


Operand = str | Expression | PySparkColumn
"""An expression that is not a lambda: a field's name, an expression, a Column."""

RecordFunction = Callable[[K, V], object] | Callable[[V], object] | Operand
"""An expression over a record: a lambda of its value, or of key and value, or one that is not a lambda.

A type checker does not look at the parameters of a lambda that may have two forms, so it lets fields that may be null
be compared, as Spark does.
"""


def tree_of(expression: Expression) -> E:
    """The JSON of an expression."""
    return expression._hf_tree


def type_of_expression(expression: Expression) -> DataType:
    """The type of an expression."""
    return expression._hf_type


def describe(expression: Expression) -> str:
    """The expression in the words of error messages."""
    return wording(expression._hf_tree)


def field(record: Expression, name: str) -> Expression:
    """A field of a record; unknown names are refused at once where the record's type is known."""
    type_ = record._hf_type
    if isinstance(type_, Struct):
        if name not in type_.names:
            raise no_such_field(describe(record), name, type_.names, at=user_position())
        return Expression(_field_tree(record._hf_tree, name), type_.field(name))
    if name in _COLUMN_METHODS:
        raise UnknownField(
            f"{describe(record)} has no method {name!r}: helpers are functions, for example F.cast(x, 'int'), "
            f"F.isnull(x), F.when(condition, x); a field of that name is record[{name!r}]",
            at=user_position(),
        )
    if type_.is_known:
        there = f"{describe(record)} is {type_.in_words()} and has no field {name!r}"
        raise UnknownField(there + instead_of_method(type_, name), at=user_position())
    return Expression(_field_tree(record._hf_tree, name))


def no_such_field(record: str, name: str, known: list[str], at: str | None) -> UnknownField:
    """The error for a field that is not there."""
    return UnknownField(f"{record} has no field {name!r}{did_you_mean(name, known)}", at=at)


def _field_tree(tree: E, name: str) -> E:
    if "slot" in tree:
        return {"slot": tree["slot"], "path": [*tree["path"], name]}
    return {"get": tree, "key": {"lit": name}}


def item(container: Expression, key: object) -> Expression:
    """An element of an array, an entry of a map or a field of a record."""
    type_ = container._hf_type
    if isinstance(key, str) and isinstance(type_, Struct):
        return field(container, key)
    if isinstance(key, slice):
        refuse("a slice", "F.slice(array, start, length), F.substring(text, start, length)")
    if isinstance(key, int) and key < 0:
        raise ExpressionError(
            f"positions count from 0, {key} came; write F.element_at(array, {key})", at=user_position()
        )
    if isinstance(type_, Scalar):
        raise UnknownField(f"{describe(container)} is {type_.in_words()} and has no items", at=user_position())
    tree = {"get": container._hf_tree, "key": lifted(key)._hf_tree}
    return Expression(tree, _item_type(type_))


def _item_type(type_: DataType) -> DataType:
    if isinstance(type_, Array):
        return type_.element
    return type_.value if isinstance(type_, Map) else UNKNOWN


def call(name: str, *arguments: object) -> Expression:
    """A function or an operator of Spark over expressions and constants."""
    operands = [lifted(each) for each in arguments]
    tree: E = {"call": name, "args": [each._hf_tree for each in operands]}
    return Expression(tree, _call_type(tree, operands))


def _call_type(tree: E, operands: list[Expression]) -> DataType:
    """The type of a call over operands whose types are known although their slots are not."""
    names = [str(index) for index in range(len(operands))]
    slots = {name: each._hf_type for name, each in zip(names, operands, strict=True)}
    return infer({**tree, "args": [{"slot": name, "path": []} for name in names]}, slots)


def _plus(left: object, right: object) -> Expression:
    sides = (lifted(left), lifted(right))
    return call("concat" if any(each._hf_type == STRING for each in sides) else "+", *sides)


def _compare(name: str, left: Expression, right: object) -> Expression:
    if right is None:
        raise ExpressionError(
            f"comparing {describe(left)} with None is never true; write F.isnull(x) or F.isnotnull(x)",
            at=user_position(),
        )
    return call(name, left, right)


def _either(left: object, right: object) -> Expression:
    """`|`: of two records what it is of two dicts, of others whether one is true."""
    if not any(isinstance(each, Mapping) or isinstance(lifted(each)._hf_type, Struct) for each in (left, right)):
        return _logic("or", "|", left, right)
    return lifted({**_fields(left), **_fields(right)})


def _fields(record: object) -> dict[str, object]:
    if not isinstance(record, (Mapping, Expression)):
        raise ExpressionError(f"a record | {record!r} is no record; give a dict", at=user_position())
    return {name: record[name] for name in record.keys()}  # noqa: SIM118


def _want_logic(operator: str, *sides: Expression) -> None:
    """`&`, `|`, `^` and `~` are for conditions and for whole numbers, and not for a mixture."""
    types = [each._hf_type for each in sides if each._hf_type.is_known]
    if all(each == BOOLEAN for each in types) or all(each in INTEGERS for each in types):
        return
    came = " and ".join(each.in_words() for each in types)
    raise ExpressionError(
        f"{operator} is for conditions or for whole numbers, {came} came; compare it with something, each side in "
        "parentheses",
        at=user_position(),
    )


def _logic(logical: str, bitwise: str, left: object, right: object) -> Expression:
    sides = (lifted(left), lifted(right))
    _want_logic(bitwise, *sides)
    return call(bitwise if _are_bits(*sides) else logical, *sides)


def _xor(left: object, right: object) -> Expression:
    sides = (lifted(left), lifted(right))
    _want_logic("^", *sides)
    return call("^", *sides) if _are_bits(*sides) else call("not", call("=", *sides))


def _are_bits(*sides: Expression) -> bool:
    return all(each._hf_type in INTEGERS for each in sides)


def lifted(value: object) -> Expression:
    """`value` as an expression: itself, or a constant."""
    if isinstance(value, Expression):
        return value
    from holdfast.dsl.lift import lift

    return lift(value)
