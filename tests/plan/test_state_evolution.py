"""Changed classes of states against what was recorded with them."""

from dataclasses import dataclass, field
from decimal import Decimal

import pytest

import holdfast as hf
from holdfast.errors import StateMismatch
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import check, record
from holdfast.topology.document_reader import read


@dataclass
class Line:
    item: str
    pieces: int = 1


@dataclass
class Cart:
    n: int = 0
    lines: list[Line] = field(default_factory=list)
    by_name: dict[str, Line] = field(default_factory=dict)
    note: str | None = None


def planned(state, *, store="carts", returns=int, ttl=None):
    @hf.stateful(state=state, returns=returns, ttl=ttl)
    def f(key, event, state, timers): ...

    app = hf.App("shop")
    app.stream("events", str, key=str).process(f, store=store)
    return plan(app.topology)


def changed(tmp_path, state, **options):
    record(planned(Cart), tmp_path / "plan.json")
    return check(planned(state, **options), tmp_path / "plan.json")


def test_what_stays_the_same_says_nothing(tmp_path):
    assert changed(tmp_path, Cart) == []
    assert changed(tmp_path, Cart, returns=str, ttl="1 day") == []


def test_fields_may_come_with_a_default_and_go(tmp_path):
    @dataclass
    class Item:
        item: str
        price: Decimal = Decimal(0)

    @dataclass
    class Newer:
        n: int = 0
        lines: list[Item] = field(default_factory=list)
        by_name: dict[str, Line] = field(default_factory=dict)
        total: float = 0.0

    lines = [line.partition(" (")[0] for line in changed(tmp_path, Newer)]
    assert sorted(lines) == [
        "store 'carts': in its state, lines[].pieces was removed",
        "store 'carts': in its state, lines[].price is new",
        "store 'carts': in its state, note was removed",
        "store 'carts': in its state, total is new",
    ]


@pytest.mark.parametrize(("was", "now"), [("integer", "long"), ("float", "double"), ("decimal(5,2)", "decimal(10,4)")])
def test_numbers_may_become_wider_and_not_narrower(tmp_path, was, now):
    def counted(type_):
        document = planned(Cart).json()
        document["nodes"][1]["state"]["fields"][0]["type"] = type_
        return read(document)

    old, new = counted(was), counted(now)
    record(old, tmp_path / "plan.json")
    assert f"in its state, n was {was}, is {now}" in check(new, tmp_path / "plan.json")[0]
    record(new, tmp_path / "plan.json")
    with pytest.raises(StateMismatch, match=r"in its state, n was"):
        check(old, tmp_path / "plan.json")


def test_anything_else_is_refused_with_what_changed(tmp_path):
    @dataclass
    class Other:
        item: int
        price: Decimal

    @dataclass
    class Newer:
        n: str = ""
        lines: list[Other] = field(default_factory=list)
        by_name: list[str] = field(default_factory=list)

    with pytest.raises(StateMismatch) as refused:
        changed(tmp_path, Newer)
    lines = [
        line.strip("- ").partition(" (test_")[0] for line in str(refused.value).splitlines() if "in its state" in line
    ]
    assert lines == [
        "store 'carts': in its state, n was long, is string",
        "store 'carts': in its state, lines[].item was string, is long",
        "store 'carts': in its state, lines[].price is new and has no default",
        "store 'carts': in its state, by_name was map<string, {item string not null, pieces long}>, is array<string>",
    ]


def test_states_by_name_come_and_go(tmp_path):
    record(planned({"n": int, "seen": list[str]}), tmp_path / "plan.json")
    said = check(planned({"n": int, "cart": Cart}), tmp_path / "plan.json")
    assert [line.partition(" (")[0] for line in said] == [
        "store 'carts': in its state, seen was removed",
        "store 'carts': in its state, cart is new",
    ]


def test_a_function_without_a_named_store_may_move_and_give_something_else(tmp_path):
    record(planned(Cart, store=None), tmp_path / "plan.json")
    moved = planned(Cart, store=None, returns=str)
    vars(moved.nodes[1])["at"] = "elsewhere.py:1"
    assert check(moved, tmp_path / "plan.json") == []
