from dataclasses import dataclass, field

import pytest

from holdfast import functions as F
from holdfast.errors import ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import call, lit, node, slot, value


@dataclass
class Seen:
    n: int = 0
    tags: list[str] = field(default_factory=list)


def test_a_scalar_state(orders):
    total = orders.group_by_key().aggregate(0.0, lambda total, o: total + o.amount)
    assert node(total)["initial"] == lit(0.0, "double")
    assert node(total)["state"] == "double"
    assert node(total)["add"] == call("+", slot("state"), value("amount"))


def test_a_dict_is_a_record_state(orders):
    made = orders.group_by_key().aggregate(dict(n=0, sum=0.0), lambda s, o: dict(n=s.n + 1, sum=s.sum + o.amount))
    assert node(made)["initial"]["lit"] == {"n": 0, "sum": 0.0}
    assert made.schema == "key: STRING\nvalue: STRUCT<n: BIGINT, sum: DOUBLE>"


def test_a_dataclass_tells_its_types(orders):
    made = orders.group_by_key().aggregate(
        Seen(), lambda k, s, o: Seen(n=s.n + 1, tags=F.array_union(s.tags, o.tags)), store="seen"
    )
    assert node(made)["initial"]["lit"] == {"n": 0, "tags": []}
    assert node(made)["add"]["struct"][0] == ["n", call("+", slot("state", "n"), lit(1))]
    assert made.schema.endswith("STRUCT<n: BIGINT, tags: ARRAY<STRING>>")


@pytest.mark.parametrize("initial", [[], None, dict(a=None)])
def test_a_state_without_type_is_refused(orders, initial):
    with pytest.raises(ExpressionError, match="does not tell its type; use a dataclass"):
        orders.group_by_key().aggregate(initial, lambda s, o: s)


def test_a_field_without_type_is_named(orders):
    with pytest.raises(
        ExpressionError, match="aggregate: field 'last' of the initial value {'n': 0, 'last': None} does"
    ):
        orders.group_by_key().aggregate(dict(n=0, last=None), lambda s, o: s)


def test_a_type_can_be_given_by_a_cast(orders):
    empty = F.cast(F.lit([]), "array<bigint>")
    made = orders.group_by_key().aggregate(empty, lambda s, o: F.array_append(s, o.id))
    assert node(made)["initial"] == lit([], {"type": "array", "elementType": "long", "containsNull": True})


def test_fields_must_be_those_of_the_state(orders):
    with pytest.raises(TopologyError, match=r"add gives record\(m\), the state is record\(n\)"):
        orders.group_by_key().aggregate(dict(n=0), lambda s, o: dict(m=1))
    with pytest.raises(UnknownField, match="state has no field 'm'"):
        orders.group_by_key().aggregate(dict(n=0), lambda s, o: dict(n=s.m))


def test_another_kind_is_refused(orders):
    with pytest.raises(TopologyError, match="add gives string, the state is int"):
        orders.group_by_key().aggregate(0, lambda s, o: o.country)


def test_the_state_is_a_constant(orders):
    with pytest.raises(ExpressionError, match="must be a constant"):
        orders.group_by_key().aggregate(F.cast(F.col("id"), "int"), lambda s, o: s)
