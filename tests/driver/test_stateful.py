"""hf.stateful: functions with a state for each key."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, stateful_app, timed, values


@dataclass
class Visits:
    n: int = 0
    pages: list[str] = field(default_factory=list)


@dataclass
class Alert:
    key: str
    n: int


def test_the_state_is_kept_between_records_and_can_be_queried():
    @hf.stateful(state=Visits, returns=Alert)
    def watch(key, page, state, timers):
        state.n += 1
        state.pages.append(page)
        if state.n > 1:
            yield Alert(key, state.n)

    with Driver(stateful_app(watch)) as d:
        d.pipe("in", "home", key="a")
        d.pipe("in", "home", key="b")
        d.pipe("in", "cart", key="a")
        assert pairs(d, "out") == [("a", {"key": "a", "n": 2})]
        assert d.store("states")["a"] == {"n": 2, "pages": ["home", "cart"]}
        assert dict(d.store("states").all()) == {
            "a": {"n": 2, "pages": ["home", "cart"]},
            "b": {"n": 1, "pages": ["home"]},
        }


@pytest.mark.parametrize(
    ("give", "came"),
    [
        (lambda: None, []),
        (lambda: 1, [1]),
        (lambda: [1, 2], [1, 2]),
        (lambda: (n for n in (1, 2, 3)), [1, 2, 3]),
        (list, []),
        (lambda: [None], [None]),
        (lambda: map(int, "45"), [4, 5]),
    ],
)
def test_nothing_one_or_many(give, came):
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        return give()

    with Driver(stateful_app(f)) as d:
        d.pipe("in", "x", key="a", timestamp=7)
        assert timed(d, "out") == [("a", value, 7) for value in came]


def test_a_list_is_one_result_where_results_are_lists():
    @hf.stateful(state=Visits, returns=list[str])
    def f(key, event, state, timers):
        state.pages.append(event)
        return state.pages

    with Driver(stateful_app(f)) as d:
        with d.batch():
            d.pipe("in", "x", key="a")
            d.pipe("in", "y", key="a")
        assert values(d, "out") == [["x"], ["x", "y"]]


def test_results_may_have_keys_of_their_own():
    @hf.stateful(state=Visits, returns=(int, str))
    def f(key, event, state, timers):
        state.n += 1
        return state.n, f"{key}{event}"

    with Driver(stateful_app(f)) as d:
        d.pipe("in", "x", key="a")
        d.pipe("in", "y", key="a")
        assert pairs(d, "out") == [(1, "ax"), (2, "ay")]


def test_the_state_is_replaced_and_deleted_by_keep():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        yield state.n
        if event == "reset":
            yield hf.update_state(Visits(100))
        elif event == "forget":
            yield hf.update_state(None)
        else:
            state.n += 1

    with Driver(stateful_app(f)) as d:
        for event in ["x", "reset", "x"]:
            d.pipe("in", event, key="a")
        assert d.store("states")["a"] == {"n": 101, "pages": []}
        d.pipe("in", "forget", key="a")
        assert dict(d.store("states").all()) == {}
        d.pipe("in", "x", key="a")
        assert values(d, "out") == [0, 1, 100, 101, 0]


def test_several_states_by_name():
    @hf.stateful(state={"visits": Visits, "seen": dict[str, int], "count": int, "last": datetime}, returns=int)
    def f(key, event, state, timers):
        state.visits.n += 1
        state.count += 2
        state.seen[event] = state.seen.get(event, 0) + 1
        if event == "out":
            state.visits = None
            state.seen = None
        if event == "end":
            state.visits = state.seen = state.count = state.last = None
            return
        state.last = timers.timestamp
        yield state.count

    with Driver(stateful_app(f)) as d:
        for time, event in enumerate(["a", "out", "b"]):
            d.pipe("in", event, key="k", timestamp=time)
        assert d.store("states")["k"] == {
            "visits": {"n": 1, "pages": []},
            "seen": {"b": 1},
            "count": 6,
            "last": datetime(1970, 1, 1, 0, 0, 0, 2000, UTC),
        }
        d.pipe("in", "end", key="k")
        assert dict(d.store("states").all()) == {}
        assert values(d, "out") == [2, 4, 6]


@dataclass
class Line:
    item: str
    price: Decimal


@dataclass
class Everything:
    n: int = -(2**63)
    x: float = 1.5
    text: str = "ü"
    yes: bool = True
    raw: bytes = b"\x00\xff"
    when: datetime = datetime(2026, 1, 1, 12, 30, 0, 123456, UTC)
    day: date = date(2026, 1, 2)
    price: Decimal = Decimal("12.50")
    lines: list[Line] = field(default_factory=lambda: [Line("tea", Decimal("0.10"))])
    by_name: dict[str, Line] = field(default_factory=lambda: {"a": Line("cup", Decimal(3))})
    nothing: int | None = None
    limits: list[float] = field(default_factory=lambda: [float("inf"), float("-inf")])


def test_every_type_comes_back_as_it_was():
    @hf.stateful(state=Everything, returns=bool)
    def f(key, event, state, timers):
        assert state == Everything()
        assert isinstance(state.lines[0], Line)
        return True

    with Driver(stateful_app(f)) as d:
        d.pipe("in", "x", key="k")
        d.pipe("in", "y", key="k")
        assert letters(d) == []
        assert values(d, "out") == [True, True]
        shown = d.store("states")["k"]
        assert (shown["when"], shown["price"]) == (Everything.when, Decimal("12.5"))
        assert shown["lines"] == [{"item": "tea", "price": Decimal("0.1")}]


def test_events_and_keys_are_of_their_classes():
    @dataclass
    class Click:
        page: str

    @dataclass(frozen=True)
    class User:
        id: int

    @hf.stateful(state=Visits, returns=str)
    def f(key, event, state, timers):
        return f"{type(key).__name__} {type(event).__name__} {event.page}"

    with Driver(stateful_app(f, source=Click, key=User)) as d:
        d.pipe("in", {"page": "home"}, key={"id": 1})
        assert values(d, "out") == ["User Click home"]


def test_results_are_of_their_class_for_the_next_function():
    @hf.stateful(state=Visits, returns=Alert)
    def f(key, event, state, timers):
        return Alert(key, 1)

    app = hf.App("stateful", tasks=2)
    alerts = app.stream("in", str, key=str).process(f)
    alerts.map_values(hf.python(lambda alert: type(alert).__name__, returns=str)).to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="a")
        assert values(d, "out") == ["Alert"]


def test_results_keep_the_order_of_their_records():
    @hf.stateful(state=Visits, returns=str)
    def f(key, event, state, timers):
        state.n += 1
        return [f"{key}{state.n}-{n}" for n in range(2)]

    def ran(tasks, sizes):
        app = stateful_app(f, tasks=tasks)
        with Driver(app) as d:
            events, at = ["a", "b", "a", "c", "b", "a", "c", "a"], 0
            for size in sizes:
                with d.batch():
                    for key in events[at : at + size]:
                        d.pipe("in", "x", key=key, timestamp=at)
                        at += 1
            return values(d, "out")

    assert ran(1, [8]) == ran(1, [1] * 8) == ran(1, [3, 5])
    assert ran(1, [8])[:6] == ["a1-0", "a1-1", "b1-0", "b1-1", "a2-0", "a2-1"]


def test_state_survives_a_crash_and_what_was_not_committed_does_not():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        if event == "stop":
            raise SystemExit
        state.n += 1
        return state.n

    with Driver(stateful_app(f)) as d:
        d.pipe("in", "x", key="k")
        d.crash()
        d.pipe("in", "x", key="k")
        assert values(d, "out") == [1, 2]
        assert d.store("states")["k"]["n"] == 2


def test_the_changelog_feeds_tables_made_of_the_results():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        return state.n if event != "gone" else [None]

    app = hf.App("stateful", tasks=2)
    app.stream("in", str, key=str).process(f).to_table(store="latest").to("out")
    with Driver(app) as d:
        for event in ["x", "y", "gone"]:
            d.pipe("in", event, key="k")
        assert values(d, "out") == [1, 2, None]
        assert dict(d.store("latest").all()) == {}


def test_many_keys_span_several_calls():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        return state.n

    with Driver(stateful_app(f, source=int, key=int, tasks=1)) as d:
        with d.batch():
            for n in range(25_000):
                d.pipe("in", n, key=n % 7, timestamp=n)
        assert values(d, "out") == [n // 7 + 1 for n in range(25_000)]
        assert d.store("states")[0]["n"] == 3572
