from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import ExpressionError, UnknownField
from tests.dsl.helpers import call, lit, names, node, record, value


@dataclass
class Line:
    id: int
    amount: float
    note: str | None = None


def test_dict_copies_and_extends_a_record(orders):
    made = orders.map_values(lambda o: dict(o, tax=o.amount * 0.2))
    assert names(made.node.value_type) == ["id", "customer", "country", "amount", "vip", "tags", "tax"]
    assert node(made)["value"]["struct"][-1] == ["tax", call("*", value("amount"), lit(0.2))]


def test_a_dataclass_instance_keeps_its_declared_types(orders):
    made = orders.map_values(lambda o: Line(id=o.id, amount=o.id, note=None))
    assert node(made)["value"] == record(
        id=value("id"),
        amount={"cast": value("id"), "to": "double"},
        note={"cast": lit(None), "to": "string"},
    )
    assert made.schema == "key: STRING\nvalue: STRUCT<id: BIGINT, amount: DOUBLE, note: STRING>"


def test_a_record_inside_when_is_a_record(orders):
    made = orders.map_values(lambda o: F.when(o.vip, dict(a=1)).otherwise(None))
    assert node(made)["value"] == {"case": [[value("vip"), record(a=lit(1))]], "else": lit(None)}


def test_a_constant_is_a_value(orders):
    assert node(orders.map_values(lambda o: "x"))["value"] == lit("x")


def test_a_scalar_value_is_an_expression_itself(app):
    words = app.stream("words", str)
    assert node(words.map_values(lambda w: F.upper(w)))["value"] == call("upper", value())
    assert node(words.map_values("value"))["value"] == value()
    with pytest.raises(UnknownField, match="value is string and has no field 'text'"):
        words.map_values(lambda w: w.text)


def test_the_next_lambda_sees_the_new_fields(orders):
    made = orders.map_values(lambda o: dict(total=o.amount))
    with pytest.raises(UnknownField, match=r"value has no field 'amount'; there is total"):
        made.map_values(lambda o: o.amount)


def test_metadata_is_an_expression(orders):
    made = orders.map_values(lambda o: dict(at=hf.timestamp(), via=hf.topic(), p=hf.partition(), n=hf.offset()))
    assert made.schema.endswith("STRUCT<at: TIMESTAMP, via: STRING, p: INT, n: BIGINT>")
    assert node(made)["value"]["struct"][0] == ["at", {"meta": "timestamp"}]


def test_too_many_parameters_are_refused(orders):
    with pytest.raises(ExpressionError, match=r"parameters \(a, b, c\); it is called with \(value\) or \(key, value\)"):
        orders.map_values(lambda a, b, c: a)


def test_parameters_with_a_default_do_not_count(orders):
    made = orders.map_values(lambda o, factor=3: o.amount * factor)
    assert node(made)["value"] == call("*", value("amount"), lit(3))


def test_an_exception_in_a_lambda_names_its_line(orders):
    with pytest.raises(ExpressionError, match=r"test_map_values.py:\d+: the function of map_values failed .*TypeError"):
        orders.map_values(lambda o: "a".join(o.tags, 3))


def test_what_is_no_expression_is_refused_with_the_lambdas_line(orders):
    with pytest.raises(ExpressionError, match=r"test_map_values.py:\d+: \{1\} \(set\) cannot be part"):
        orders.map_values(lambda o: {1})
