"""hf.python: functions that run in Python, on real values, wherever a stream takes an expression."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

import holdfast as hf
from holdfast.testing import Driver


@dataclass
class Line:
    item: str
    pieces: int = 1


@dataclass
class Order:
    id: int
    lines: list[Line]
    at: datetime
    notes: dict[str, str]
    discount: float | None = None


ORDER = {
    "id": 7,
    "lines": [{"item": "tea", "pieces": 2}, {"item": "cup", "pieces": 1}],
    "at": "2026-01-01T00:00:00Z",
    "notes": {"gift": "yes"},
    "discount": None,
}


def values(records):
    return [record.value for record in records]


def ran(build, *records):
    app = hf.App("python", tasks=2)
    build(app.stream("orders", Order, key=str)).to("out")
    with Driver(app) as d:
        with d.batch():
            for record in records:
                d.pipe("orders", record, key="k")
        return d.read("out"), [(letter.reason, letter.node) for letter in d.dead_letters()]


def test_values_are_instances_of_the_declared_classes():
    def look(order):
        assert isinstance(order, Order)
        assert all(isinstance(line, Line) for line in order.lines)
        assert order.at == datetime(2026, 1, 1, tzinfo=UTC)
        assert order.notes == {"gift": "yes"}
        assert order.discount is None
        return sum(line.pieces for line in order.lines)

    records, dead = ran(lambda s: s.map_values(hf.python(look, returns=int)), ORDER)
    assert dead == []
    assert values(records) == [3]


def test_records_without_a_class_have_their_fields_as_attributes_and_items():
    made = hf.python(lambda r: f"{r.a} {r['a']}", returns=str)
    records, dead = ran(lambda s: s.map_values(lambda o: dict(a=o.id)).map_values(made), ORDER)
    assert (values(records), dead) == (["7 7"], [])


@pytest.mark.parametrize("method", ["filter", "filter_not"])
def test_predicates(method):
    large = hf.python(lambda o: o.id > 5, returns=bool)
    records, _ = ran(lambda s: getattr(s, method)(large).map_values(lambda o: o.id), ORDER, {**ORDER, "id": 3})
    assert values(records) == ([7] if method == "filter" else [3])


def test_a_predicate_that_gives_none_is_false():
    records, _ = ran(lambda s: s.filter(hf.python(lambda o: None, returns=bool)), ORDER)
    assert records == []


def test_require():
    wanted = hf.python(lambda o: o.discount is not None, returns=bool)
    _, dead = ran(lambda s: s.require(wanted, reason="no discount"), ORDER)
    assert [reason for reason, _ in dead] == ["no discount"]


def test_map_gives_key_and_value():
    records, _ = ran(lambda s: s.map(hf.python(lambda k, o: (o.id, f"{k}!"), returns=(int, str))), ORDER)
    assert [(r.key, r.value) for r in records] == [(7, "k!")]


def test_flat_map_takes_generators():
    def lines(order):
        for line in order.lines:
            yield line.item, line.pieces

    records, _ = ran(lambda s: s.flat_map(hf.python(lines, returns=(str, int))), ORDER)
    assert [(r.key, r.value) for r in records] == [("tea", 2), ("cup", 1)]


def test_flat_map_values_takes_lists_and_none():
    items = hf.python(lambda o: [line.item for line in o.lines] if o.id == 7 else None, returns=str)
    records, _ = ran(lambda s: s.flat_map_values(items), ORDER, {**ORDER, "id": 8})
    assert values(records) == ["tea", "cup"]


def test_select_key():
    records, _ = ran(
        lambda s: s.select_key(hf.python(lambda o: o.id * 2, returns=int)).map_values(lambda o: o.id), ORDER
    )
    assert [(r.key, r.value) for r in records] == [(14, 7)]


def test_group_by():
    app = hf.App("python", tasks=4)
    parity = hf.python(lambda o: "even" if o.id % 2 == 0 else "odd", returns=str)
    app.stream("orders", Order, key=str).group_by(parity).count(store="parity")
    with Driver(app) as d:
        for n in range(5):
            d.pipe("orders", {**ORDER, "id": n})
        assert dict(d.store("parity")) == {"even": 3, "odd": 2}


def test_coroutines_run_at_the_same_time_and_keep_the_order():
    import asyncio

    async def ask(order):
        await asyncio.sleep(0.05 if order.id == 1 else 0)
        return order.id

    records, _ = ran(lambda s: s.map_values(hf.python(ask, returns=int)), *({**ORDER, "id": n} for n in (1, 2, 3)))
    assert values(records) == [1, 2, 3]


def test_a_failure_is_a_dead_letter_with_the_lines_that_led_to_it():
    def price(order):
        return helper(order.discount)

    def helper(discount):
        return 1 / discount

    records, [(reason, node)] = ran(lambda s: s.map_values(hf.python(price, returns=float)), ORDER)
    assert (records, node) == ([], "python-1")
    assert reason.startswith("price (test_python.py:")
    assert "TypeError: unsupported operand" in reason
    assert " in price; " in reason
    assert " in helper]" in reason


@dataclass
class Result:
    name: str
    worth: float


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"name": 5, "worth": 1.0}, "result.name: str was wanted, 5 (int) came"),
        ({"name": "a"}, "result.worth: a value was wanted, nothing came"),
        ({"name": "a", "worth": "1"}, "result.worth: float was wanted, '1' (str) came"),
        ("a", "result: record(name, worth) was wanted, 'a' (str) came"),
    ],
)
def test_a_wrong_result_names_the_field(made, said):
    _, [(reason, _)] = ran(lambda s: s.map_values(hf.python(lambda o: made, returns=Result)), ORDER)
    assert reason.startswith("<lambda> (test_python.py:")
    assert reason.endswith(said)


def test_dataclasses_dicts_and_tuples_are_records():
    for made in (Result("a", 1.0), {"name": "a", "worth": 1}, ("a", 1.0)):
        records, _ = ran(lambda s, made=made: s.map_values(hf.python(lambda o: made, returns=Result)), ORDER)
        assert values(records) == [{"name": "a", "worth": 1.0}]


def test_numbers_that_do_not_fit_are_refused():
    _, [(reason, _)] = ran(lambda s: s.map_values(hf.python(lambda o: 2**63, returns=int)), ORDER)
    assert reason.endswith("result: 9223372036854775808 does not fit 64 bits")


def test_prints_are_seen(capsys):
    ran(lambda s: s.map_values(hf.python(lambda o: print("seen", o.id), returns=str)), ORDER)
    assert "seen 7" in capsys.readouterr().out


def test_a_function_can_be_called_as_it_is():
    assert hf.python(lambda n: n + 1, returns=int)(1) == 2


def test_peek_sees_records_and_passes_them_on():
    seen = []
    records, dead = ran(lambda s: s.peek(lambda k, o: seen.append((k, o.id))).map_values(lambda o: o.id), ORDER)
    assert (values(records), seen, dead) == ([7], [("k", 7)], [])


def test_foreach_sees_every_record():
    seen = []

    def build(stream):
        stream.foreach(lambda order: seen.append(order.id))
        return stream

    ran(build, ORDER, {**ORDER, "id": 8})
    assert seen == [7, 8]


def test_a_failure_while_peeking_is_a_dead_letter():
    def look(order):
        raise RuntimeError("do not look")

    records, [(reason, _)] = ran(lambda s: s.peek(look), ORDER)
    assert records == []
    assert "RuntimeError: do not look" in reason


def test_the_function_says_of_which_class_its_value_is():
    def pieces(key: str, line: Line) -> "Result":
        return Result(line.item, float(line.pieces) if isinstance(line, Line) else -1.0)

    lines = hf.python(pieces, returns=Result)
    records, dead = ran(lambda s: s.map_values(lambda o: dict(item="tea", pieces=2)).map_values(lines), ORDER)
    assert (values(records), dead) == ([{"name": "tea", "worth": 2.0}], [])


def test_large_records_go_in_several_calls():
    long = {"gift": "x" * 3_000_000}
    records, dead = ran(
        lambda s: s.map_values(hf.python(lambda o: len(o.notes["gift"]) + o.id, returns=int)),
        *({**ORDER, "id": n, "notes": long} for n in range(12)),
    )
    assert (values(records), dead) == ([3_000_000 + n for n in range(12)], [])
