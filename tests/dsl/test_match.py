import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import DurationError, ExpressionError, TopologyError, UnknownField
from tests.dsl.helpers import call, lit, node, slot, value


def match(stream, within="10 minutes", **steps):
    return stream.group_by_key().match(hf.sequence(**steps), within=within)


def conditions(matched):
    return [each["condition"] for each in node(matched)["steps"]]


def test_steps_with_conditions_on_the_record_and_on_earlier_ones(orders):
    found = match(orders, small=lambda o: o.amount < 1, large=lambda o, *, small: o.amount > 100 * small.amount)
    assert node(found) == {
        "id": "match-1",
        "op": "match",
        "inputs": ["group_by_key-1"],
        "steps": [
            {"name": "small", "kind": "one", "condition": call("<", value("amount"), lit(1)), "sees": []},
            {
                "name": "large",
                "kind": "one",
                "condition": call(">", value("amount"), call("*", lit(100), slot("small", "amount"))),
                "sees": ["small"],
            },
        ],
        "within": 600_000,
        "strict": False,
        "overlap": False,
        "store": {"name": None, "state": "match-1", "emit": "latest", "changelog": None},
    }


def test_the_result_has_a_field_for_each_step_that_has_records(orders):
    few = orders.map_values(lambda o: dict(id=o.id))
    steps = {"a": lambda o: o.id > 1, "b": hf.repeat(lambda o: o.id > 2, 3), "c": hf.absent(lambda o: o.id < 0)}
    found = match(few, **steps)
    assert found.schema == "key: STRING\nvalue: STRUCT<a: STRUCT<id: BIGINT>, b: ARRAY<STRUCT<id: BIGINT>>>"


def test_times_and_absent(orders):
    found = match(orders, a="vip", b=hf.repeat("vip", 2, at_least=True), c=hf.absent(lambda o: o.amount > 1))
    steps = [{name: part for name, part in each.items() if name != "condition"} for each in node(found)["steps"]]
    assert steps == [
        {"name": "a", "kind": "one", "sees": []},
        {"name": "b", "kind": "times", "sees": [], "n": 2, "at_least": True},
        {"name": "c", "kind": "absent", "sees": []},
    ]


def test_strict_and_overlap(orders):
    found = orders.group_by_key().match(hf.sequence(strict=True, overlap=True, a="vip", b="vip"), within="1 s")
    assert (node(found)["strict"], node(found)["overlap"], node(found)["within"]) == (True, True, 1000)


def test_a_condition_is_a_field_an_expression_or_a_lambda_of_key_and_value(orders):
    found = match(orders, a="vip", b=F.col("amount") > 1, c=lambda key, o: key == o.country, d=lambda k, o, *, a: a.vip)
    assert conditions(found) == [
        value("vip"),
        call(">", value("amount"), lit(1)),
        call("=", slot("key"), value("country")),
        slot("a", "vip"),
    ]


def test_a_plain_name_is_the_record_at_hand(orders):
    found = match(orders, a="vip", b=lambda o, *, a: F.col("amount") > a.amount)
    assert conditions(found)[1] == call(">", value("amount"), slot("a", "amount"))


def test_several_records_are_seen_as_an_array(orders):
    found = match(orders, many=hf.repeat("vip", 3), next=lambda o, *, many: o.amount > many[0].amount)
    assert conditions(found)[1]["args"][1] == {"get": {"get": slot("many"), "key": lit(0)}, "key": {"lit": "amount"}}


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({}, "a pattern has at least one step"),
        ({"value": "vip"}, "a step cannot be called 'value'"),
        ({"a": "vip", "A": "vip"}, "two steps are called 'a' but for capital letters"),
        ({"a": hf.absent("vip"), "b": "vip"}, "the first step, 'a', is absent"),
        ({"strict": True, "a": "vip", "b": hf.absent("vip"), "c": "vip"}, "step 'b' is absent.*strict=True leaves no"),
    ],
)
def test_what_is_no_pattern_is_refused_with_the_line(steps, message):
    with pytest.raises(TopologyError, match=message) as refused:
        hf.sequence(**steps)
    assert "test_match.py" in str(refused.value)


def test_an_absence_may_end_a_strict_pattern(orders):
    matched = match(orders, strict=True, a="vip", b="vip", c=hf.absent("vip"))
    assert [each["name"] for each in node(matched)["steps"]] == ["a", "b", "c"]


@pytest.mark.parametrize("n", [0, -1, 1.5, True, None])
def test_times_wants_a_number(n):
    with pytest.raises(TopologyError, match="repeat: times must be a whole number from 1"):
        hf.repeat("vip", n)


def test_steps_are_not_conditions():
    with pytest.raises(TopologyError, match="repeat: a condition was wanted, another step came"):
        hf.repeat(hf.absent("vip"), 2)
    with pytest.raises(TopologyError, match="absent: a condition was wanted"):
        hf.absent(hf.repeat("vip", 2))


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ({"a": lambda o, *, b: o.vip, "b": "vip"}, "step 'a' asks for 'b', but no step before it has a record"),
        ({"probe": "vip", "b": lambda o, *, prob: o.vip}, "asks for 'prob'.*did you mean 'probe'"),
        ({"a": "vip", "b": hf.absent("vip"), "c": lambda o, *, b: o.vip}, "step 'c' asks for 'b'"),
        ({"a": lambda a, b, c: a.vip}, r"called with \(value\) or \(key, value"),
        ({"a": lambda o, *rest: o.vip}, "has the parameter"),
    ],
)
def test_parameters_of_conditions(orders, steps, message):
    with pytest.raises(ExpressionError, match=message):
        match(orders, **steps)


def test_conditions_are_checked(orders):
    with pytest.raises(TopologyError, match="the condition of step 'a' is float, bool was wanted"):
        match(orders, a="amount")
    with pytest.raises(UnknownField, match="small has no field 'amont'"):
        match(orders, small="vip", b=lambda o, *, small: o.amount > small.amont)
    with pytest.raises(ExpressionError, match="`is None` cannot be used"):
        match(orders, small="vip", b=lambda o, *, small: small is None)


def test_within_is_a_duration(orders):
    with pytest.raises(DurationError, match="within must be a text"):
        match(orders, within=10, a="vip")


def test_something_else_is_refused(orders):
    with pytest.raises(TopologyError, match=r"match wants a pattern.*use hf.sequence"):
        orders.group_by_key().match(lambda o: o.vip, within="1 s")


def test_what_it_says_of_itself(app, orders):
    steps = hf.sequence(
        a=lambda o: o.amount < 1, b=hf.repeat("vip", 2, at_least=True), c=hf.absent(lambda o, *, a: o.id == a.id)
    )
    orders.group_by_key().match(steps, within="90 seconds").to("out")
    words = "a: value.amount < 1, b: 2 or more times value.vip, c: no value.id = a.id, within 90 seconds"
    assert words in app.topology.describe()


def test_a_windowed_group_is_refused(orders):
    with pytest.raises(TopologyError, match="a windowed group came"):
        orders.group_by_key().windowed_by(hf.tumbling("1 hour")).match(hf.sequence(a="vip"), within="1 s")


def test_the_group_of_a_table_is_refused(customers):
    pattern = hf.sequence(a=lambda c: c.city == "Oslo")
    with pytest.raises(TopologyError, match="a table came, whose rows have no order; match the stream"):
        customers.group_by("city").match(pattern, within="1 s")
    customers.to_stream().group_by("city").match(pattern, within="1 s")
