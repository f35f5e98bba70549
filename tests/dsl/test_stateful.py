"""hf.stateful and process while a program is read."""

from dataclasses import dataclass, field

import pytest

import holdfast as hf
from holdfast.errors import ExpressionError, HoldfastError, TopologyError


@dataclass
class Visits:
    n: int = 0
    pages: list[str] = field(default_factory=list)


@hf.stateful(state=Visits, returns=float)
def watch(key, event, state, timers): ...


def test_the_types_are_known(app):
    stream = app.stream("pages", str, key=str)
    assert stream.process(watch).schema == "key: STRING\nvalue: DOUBLE"
    pairs = hf.stateful(state=Visits, returns=(int, str))(lambda key, event, state, timers: None)
    assert stream.process(pairs).schema == "key: BIGINT\nvalue: STRING"


def test_the_node_says_what_is_kept(app):
    app.stream("pages", str, key=str).process(watch, store="visits")
    node = app.topology.stores["visits"].to_json()
    assert (node["id"], node["op"], node["store"]["changelog"]) == (
        "stateful:visits",
        "stateful",
        f"{app.name}-visits-changelog",
    )
    assert [each["name"] for each in node["state"]["fields"]] == ["n", "pages"]
    assert "watch (test_stateful.py:" in app.describe()


def test_it_can_still_be_called():
    count = hf.stateful(state=Visits, returns=int)(lambda key, event, state, timers: state.n + 1)
    assert count("a", "x", Visits(4), None) == 5


@dataclass
class Required:
    n: int


@dataclass
class Derived:
    n: int = 0
    twice: int = field(init=False, default=0)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (int, "state=int is not a dataclass; give a dataclass whose fields have defaults, or several values by name"),
        (dict[str, int], "is not a dataclass"),
        ({}, "names were wanted"),
        ({"not a name": int}, "names were wanted that can be attributes"),
        (Required, r"the first state of a key is Required\(\), which fails: .*'n'; give each field a default"),
        ({"it": Required}, r"the first state of a key is Required\(\), which fails"),
        (Derived, "Derived has a field with init=False"),
        ({"it": set[str]}, r"set\[str\] is not a type for a topic"),
    ],
)
def test_what_cannot_be_a_state_is_refused(state, reason):
    with pytest.raises(HoldfastError, match=reason):
        hf.stateful(state=state, returns=int)(lambda key, event, state, timers: None)


def test_other_parameters_are_refused():
    with pytest.raises(
        ExpressionError, match=r"has the parameters \(key, event\); it is called with \(key, event, state, timers\)"
    ):
        hf.stateful(state=Visits, returns=int)(lambda key, event: None)
    with pytest.raises(ExpressionError, match=r"it is called with \(key, name, state, timers\)"):
        watch.on_timer(lambda key: None)


def test_a_coroutine_is_refused_with_what_to_do():
    async def waits(key, event, state, timers): ...

    with pytest.raises(ExpressionError, match="waits is async, and a function with state runs record by record"):
        hf.stateful(state=Visits, returns=int)(waits)


def test_what_is_no_function_is_refused():
    with pytest.raises(ExpressionError, match="5 is not a function"):
        hf.stateful(state=Visits, returns=int)(5)


def test_a_second_handler_is_refused():
    once = hf.stateful(state=Visits, returns=int)(lambda key, event, state, timers: None)
    once.on_timer(lambda key, name, state, timers: None)
    with pytest.raises(ExpressionError, match="has one already; let it look at the name of the timer"):
        once.on_timer(lambda key, name, state, timers: None)


def test_a_time_to_live_is_longer_than_nothing():
    with pytest.raises(ExpressionError, match="ttl= must be longer than nothing"):
        hf.stateful(state=Visits, returns=int, ttl="0 ms")


def test_process_wants_a_function_with_state(app):
    stream = app.stream("pages", str, key=str)
    with pytest.raises(TopologyError, match="neither a function of hf.stateful nor a class of processors; declare it"):
        stream.process(lambda key, event, state, timers: None)
    with pytest.raises(TopologyError, match="a store of states has no versions"):
        stream.process(watch, store=hf.Materialized("visits", versioned="1 day"))
    three = hf.stateful(state=Visits, returns=(int, int, int))(lambda key, event, state, timers: None)
    with pytest.raises(ExpressionError, match=r"a pair is \(key type, value type\)"):
        stream.process(three)
