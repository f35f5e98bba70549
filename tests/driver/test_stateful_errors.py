"""hf.stateful: what becomes of records that a function or its state refuses."""

from dataclasses import dataclass, field

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import letters, stateful_app, values


@dataclass
class Visits:
    n: int = 0
    pages: list[str] = field(default_factory=list)


def test_what_a_record_that_fails_did_is_undone():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        state.pages.append(event)
        timers.at(timers.timestamp.replace(year=2030), "never")
        yield state.n
        if event == "bad":
            raise ValueError("oh")

    @f.on_timer
    def never(key, name, state, timers): ...

    with Driver(stateful_app(f)) as d:
        with d.batch():
            for event in ["x", "bad", "y"]:
                d.pipe("in", event, key="k")
        assert values(d, "out") == [1, 2]
        assert d.store("states")["k"] == {"n": 2, "pages": ["x", "y"]}
        [(node, reason)] = letters(d)
        assert node == "stateful:states"
        assert "f (test_stateful_errors.py:" in reason
        assert "ValueError: oh" in reason
        assert "in f]" in reason


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda s: setattr(s, "n", "x"), "state.n: int was wanted, 'x' (str) came"),
        (lambda s: setattr(s, "n", None), "state.n: a value was wanted, None (NoneType) came"),
        (lambda s: setattr(s, "n", 2**63), "state.n: 9223372036854775808 does not fit 64 bits"),
        (lambda s: setattr(s, "pages", ("x",)), "state.pages: list was wanted"),
        (lambda s: s.pages.append(5), "state.pages: str was wanted, 5 (int) came"),
        (lambda s: setattr(s, "more", 1), "state has no field 'more', which would be lost; it has n, pages"),
        (lambda s: setattr(s, "pages", ["\ud800"]), "state cannot be written as JSON"),
    ],
)
@pytest.mark.parametrize("count", [1, 100])
def test_a_wrong_type_in_a_state_is_found_with_the_record_that_put_it_there(spoil, reason, count):
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        before = state.n
        if event == "bad":
            spoil(state)
        return before

    with Driver(stateful_app(f)) as d:
        with d.batch():
            for event in ["x"] * count + ["bad"] + ["y"] * count:
                d.pipe("in", event, key="k")
        [(_, said)] = letters(d)
        assert reason in said
        assert values(d, "out") == [*range(1, 2 * count + 1)]


@pytest.mark.parametrize("count", [1, 100])
def test_a_wrong_result_is_a_dead_letter(count):
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        return "five" if event == "bad" else state.n

    with Driver(stateful_app(f)) as d:
        with d.batch():
            for event in ["x"] * count + ["bad"]:
                d.pipe("in", event, key="k")
        [(_, said)] = letters(d)
        assert "result: int was wanted, 'five' (str) came" in said
        assert d.store("states")["k"]["n"] == count


def test_records_without_a_key_are_dead_letters_and_those_without_a_value_arrive():
    @hf.stateful(state=Visits, returns=bool)
    def f(key, event, state, timers):
        return event is None

    with Driver(stateful_app(f)) as d:
        d.pipe("in", "x")
        d.pipe("in", None, key="k")
        assert letters(d) == [("stateful:states", "the key is null; a state belongs to a key")]
        assert values(d, "out") == [True]


@pytest.mark.parametrize("count", [1, 100])
def test_an_event_that_its_class_refuses_is_a_dead_letter(count):
    @dataclass
    class Positive:
        n: int

        def __post_init__(self):
            if self.n < 0:
                raise ValueError("negative")

    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += event.n
        return state.n

    with Driver(stateful_app(f, source=Positive)) as d:
        with d.batch():
            for n in [1] * count + [-1] + [1] * count:
                d.pipe("in", {"n": n}, key="k")
        assert values(d, "out") == [*range(1, 2 * count + 1)]
        [(_, reason)] = letters(d)
        assert "ValueError: negative" in reason


def test_a_program_that_stops_at_errors():
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        raise ValueError("oh")

    with Driver(stateful_app(f, on_error="fail")) as d, pytest.raises(HoldfastError, match="ValueError: oh"):
        d.pipe("in", "x", key="k")


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no words")


LONG, LONE = "x" * 3_000_000, "\ud800"


@pytest.mark.parametrize("error", [ValueError(LONG), ValueError(LONE), Silent()], ids=["long", "no UTF-8", "silent"])
@pytest.mark.parametrize("how", ["stateful", "map", "fold"])
def test_the_message_of_an_error_may_have_all_of_a_record_in_it(how, error):
    """A dead letter has to be written, whatever is in the message."""

    def failing(value):
        if value == "bad":
            raise error
        return value

    app = hf.App("messages", tasks=1)
    rows = app.stream("in", str, key=str)
    match how:
        case "stateful":

            @hf.stateful(state=Visits, returns=str)
            def f(key, event, state, timers):
                return failing(event)

            rows.process(f, store="states").to("out")
        case "map":
            rows.map_values(hf.python(failing, returns=str)).to("out")
        case "fold":
            rows.group_by_key().aggregate("", hf.python(lambda state, v: failing(v), returns=str), store="s").to("out")
    with Driver(app) as d:
        for event in ["x", "bad", "y"]:
            d.pipe("in", event, key="k")
        assert values(d, "out") == ["x", "y"]
        [(_, reason)] = letters(d)
        assert type(error).__name__ in reason
        assert len(reason) < 2_000
        assert "no words" not in reason


@pytest.mark.parametrize("name", [LONE, "", None, 7])
def test_a_name_of_a_timer_that_cannot_be_written(name):
    @hf.stateful(state=Visits, returns=int)
    def f(key, event, state, timers):
        state.n += 1
        if event == "bad":
            timers.at(timers.timestamp.replace(year=2030), name)
        return state.n

    @f.on_timer
    def fired(key, name, state, timers): ...

    with Driver(stateful_app(f)) as d:
        with d.batch():
            for event in ["x", "bad", "y"]:
                d.pipe("in", event, key="k")
        assert values(d, "out") == [1, 2]
        assert len(letters(d)) == 1
