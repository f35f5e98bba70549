"""The functions that are more than a call: columns, constants, conditions, types, records, counts."""

from __future__ import annotations

from holdfast.dsl.columns import Expression, call, tree_of, type_of_expression
from holdfast.dsl.lift import as_type, lift, record_expression
from holdfast.errors import ExpressionError
from holdfast.position import user_position
from holdfast.topology.infer import E
from holdfast.topology.wording import wording
from holdfast.types import LONG, UNKNOWN, DataType
from holdfast.types.type_hints import type_of


class Case(Expression):
    """`F.when(...)`: goes on with `.when(...)` and ends with `.otherwise(...)`."""

    __slots__ = ("_hf_values",)
    _hf_values: list[Expression]

    def __init__(self, branches: list[list[E]], values: list[Expression]) -> None:
        super().__init__({"case": branches, "else": None}, _type_of_all(values))
        object.__setattr__(self, "_hf_values", values)

    def when(self, condition: object, value: object) -> Case:
        """The value where no condition before was true and this one is."""
        return Case([*tree_of(self)["case"], _branch(condition, value)], [*self._hf_values, lift(value)])

    def otherwise(self, value: object) -> Expression:
        """The value where no condition was true."""
        tree = {"case": tree_of(self)["case"], "else": tree_of(lift(value))}
        return Expression(tree, _type_of_all([*self._hf_values, lift(value)]))


def when(condition: object, value: object) -> Case:
    """The value where the condition is true, else null; `.when(...)` and `.otherwise(...)` go on."""
    return Case([_branch(condition, value)], [lift(value)])


def _type_of_all(values: list[Expression]) -> DataType:
    """The type that all values have, apart from nulls; of several Spark makes one."""
    types = [type_of_expression(each) for each in values if tree_of(each).get("lit", ...) is not None]
    return types[0] if types and all(each == types[0] for each in types) else UNKNOWN


def _branch(condition: object, value: object) -> list[E]:
    if isinstance(condition, bool):
        raise ExpressionError(f"F.when: the condition is {condition!r} and not an expression", at=user_position())
    return [tree_of(_column(condition)), tree_of(lift(value))]


def _column(given: object) -> Expression:
    """A field of that name, an expression, or a constant that is not a string."""
    return Expression({"col": given}) if isinstance(given, str) else lift(given)


def col(name: str) -> Expression:
    """A field of the value by its name; dots go into records."""
    if not isinstance(name, str) or not name or "*" in name:
        raise ExpressionError(f"F.col wants the name of one field, not {name!r}", at=user_position())
    return Expression({"col": name})


def column(name: str) -> Expression:
    """A field of the value by its name."""
    return col(name)


def lit(value: object) -> Expression:
    """A constant."""
    return lift(value)


def expr(sql: str) -> Expression:
    """SQL text over the names of what can be read: `value.score`, `key`, `left.id`."""
    if not isinstance(sql, str) or not sql.strip():
        raise ExpressionError(f"F.expr wants SQL text, not {sql!r}", at=user_position())
    return Expression({"sql": sql})


def cast(value: object, type: object) -> Expression:
    """The value as another type: `F.cast(x, "int")`, `F.cast(x, float)`."""
    return as_type(_column(value), type_of(type, "F.cast"))


def count(what: object = "*") -> Expression:
    """How many records, or how many in which the expression is not null."""
    if isinstance(what, str) and what == "*":
        return Expression({"call": "count", "args": [{"star": True}]}, LONG)
    return call("count", _column(what))


def struct(*fields: object) -> Expression:
    """A record of fields, named after them."""
    parts = [_column(each) for each in _flat(fields)]
    if not parts:
        raise ExpressionError("F.struct wants fields; for named ones write dict(a=..., b=...)", at=user_position())
    return record_expression([(_name(tree_of(each), index), each) for index, each in enumerate(parts, 1)])


def _flat(given: tuple[object, ...]) -> list[object]:
    return list(given[0]) if len(given) == 1 and isinstance(given[0], (list, tuple)) else list(given)


def _name(tree: E, index: int) -> str:
    if "col" in tree:
        return str(tree["col"]).rpartition(".")[2]
    if tree.get("path"):
        return str(tree["path"][-1])
    return f"col{index}"


def array(*elements: object) -> Expression:
    """An array of expressions."""
    return lift([_column(each) for each in _flat(elements)])


def first(what: object, ignorenulls: bool = False) -> Expression:
    """The first value of a group."""
    return _one_of("first", what, ignorenulls)


def last(what: object, ignorenulls: bool = False) -> Expression:
    """The last value of a group."""
    return _one_of("last", what, ignorenulls)


def first_value(what: object, ignoreNulls: bool = False) -> Expression:
    """The first value of a group."""
    return _one_of("first_value", what, ignoreNulls)


def last_value(what: object, ignoreNulls: bool = False) -> Expression:
    """The last value of a group."""
    return _one_of("last_value", what, ignoreNulls)


def any_value(what: object, ignoreNulls: bool = False) -> Expression:
    """Some value of a group."""
    return _one_of("any_value", what, ignoreNulls)


def _one_of(name: str, what: object, ignore_nulls: bool | None) -> Expression:
    made = call(name, _column(what))
    if not ignore_nulls:
        return made
    return Expression({**tree_of(made), "ignore_nulls": True}, type_of_expression(made))


def log(arg1: object, arg2: object = None) -> Expression:
    """The natural logarithm, or with two arguments the one to a base."""
    return call("ln", _column(arg1)) if arg2 is None else call("log", _column(arg1), _column(arg2))


def unix_timestamp(timestamp: object = None, format: str = "yyyy-MM-dd HH:mm:ss") -> Expression:
    """Seconds since 1970."""
    if timestamp is None:
        raise ExpressionError(
            "F.unix_timestamp() without a column is the time of the clock, and a rerun would give another; "
            "use F.unix_timestamp(hf.timestamp())",
            at=user_position(),
        )
    return call("unix_timestamp", _column(timestamp), format)


def call_function(name: str, *arguments: object) -> Expression:
    """A function of Spark by its SQL name."""
    from holdfast.dsl.functions import check_callable

    check_callable(name)
    return call(name, *(_column(each) for each in arguments))


def isin(value: object, *choices: object) -> Expression:
    """Whether the value is one of several."""
    if not choices:
        raise ExpressionError(f"F.isin({wording(tree_of(_column(value)))}) wants choices", at=user_position())
    return Expression({"call": "in", "args": [tree_of(_column(value)), *(tree_of(lift(e)) for e in _flat(choices))]})


def between(value: object, low: object, high: object) -> Expression:
    """Whether the value lies between two others, both included."""
    return call("and", call(">=", _column(value), low), call("<=", _column(value), high))
