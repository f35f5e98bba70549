"""States that Python makes and that become too large for the changelog of their store."""

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

import holdfast as hf
from tests.driver.helpers import letters, pairs, stateful_app
from tests.driver.large_states import LIMIT, limited, pipe, refused, text

PART = 30_000


@dataclass
class Pages:
    texts: list[str] = field(default_factory=list)
    n: int = 0


def grown(key, event, state, timers):
    """Collects pages; 'cut' leaves the last one, 'size' only asks."""
    if event == "cut":
        del state.texts[:-1]
    elif event != "size":
        state.texts.append(event)
    state.n += 1
    return f"{len(state.texts)} of {state.n}"


def stateful(emit="every"):
    return stateful_app(hf.stateful(state=Pages, returns=str)(grown), tasks=1)


class Collect(hf.Processor[str, str]):
    """The same with a store."""

    returns = str
    states = hf.StateStore("states", key=str, value=Pages)
    seen = hf.StateStore("seen", key=str, value=int)

    def process(self, record: hf.Record[str, str]) -> None:
        self.seen[record.key] = self.seen.get(record.key, 0) + 1
        state = self.states.get(record.key) or Pages()
        given = grown(record.key, record.value, state, None)
        self.states[record.key] = state
        self.context.forward(record.replace(value=given))


def processor(emit="every"):
    app = hf.App("processor", tasks=1)
    app.stream("in", str, key=str).process(Collect).to("out")
    return app


def collected(state: Pages, event: str) -> Pages:
    grown(None, event, state, None)
    return state


def fold(emit="every"):
    app = hf.App("fold", tasks=1)
    pages = app.stream("in", str, key=str).group_by_key()
    table = pages.aggregate(Pages(), hf.python(collected, returns=Pages), store=hf.Materialized("states", emit=emit))
    table.to_stream().map_values(hf.python(lambda p: f"{len(p.texts)} of {p.n}", returns=str)).to("out")
    return app


KINDS = pytest.mark.parametrize("build", [stateful, processor, fold])
BATCHES = pytest.mark.parametrize("together", [True, False])


@KINDS
@BATCHES
def test_a_record_that_makes_its_state_too_large_is_a_dead_letter_and_the_key_goes_on_as_it_was(build, together):
    a, b = [text(PART, n) for n in range(5)], [text(PART, n) for n in range(5, 10)]
    events = [(key, part, 0) for pair in zip(a, b, strict=True) for key, part in zip("ab", pair, strict=True)]
    records = [*events, ("c", "small", 0), ("a", "size", 0), ("b", "cut", 0), ("b", b[4], 0)]
    with limited(build()) as d:
        pipe(d, [(key, value, time) for time, (key, value, _) in enumerate(records)], together=together)
        assert refused(d) == [("a", 6), ("b", 7), ("a", 8), ("b", 9)]
        assert pairs(d, "out") == [
            *[(key, f"{n} of {n}") for n in (1, 2, 3) for key in "ab"],
            ("c", "1 of 1"),
            ("a", "3 of 4"),
            ("b", "1 of 4"),
            ("b", "2 of 5"),
        ]
        wanted = {"a": (a[:3], 4), "b": ([b[2], b[4]], 5), "c": (["small"], 1)}
        assert {key: (state["texts"], state["n"]) for key, state in d.store("states").all()} == wanted


@KINDS
def test_the_reason_names_key_store_size_limit_and_the_way_out(build):
    with limited(build()) as d:
        pipe(d, [("a", text(PART, n), n) for n in range(4)], together=True)
        ((_, reason),) = letters(d)
        assert "the state of key a in store 'states' would take 1200" in reason
        assert f"-states-changelog' takes {LIMIT} at most (its max.message.bytes); keep less in it, or raise" in reason
        assert "(test_large_states.py:" in reason


@KINDS
def test_what_was_refused_can_be_replayed_when_the_state_is_smaller(build):
    parts = [text(PART, n) for n in range(4)]
    with limited(build()) as d:
        pipe(d, [("a", part, n) for n, part in enumerate(parts)], together=True)
        (letter,) = d.dead_letters()
        d.replay(letter)
        (again,) = d.dead_letters()
        d.pipe("in", "cut", key="a", timestamp=10)
        d.replay(again)
        assert d.store("states")["a"] == {"texts": [parts[2], parts[3]], "n": 5}
        assert d.dead_letters() == []


@KINDS
@pytest.mark.parametrize("size", [1000, 150])
def test_many_small_records_that_fill_a_state(build, size):
    """So many that they are run without a copy of each state before each record."""
    mine = [text(500, n) for n in range(230)]
    records = [each for n, part in enumerate(mine) for each in [("a", part, 2 * n), ("b", "small", 2 * n + 1)]]
    with limited(build(emit="latest")) as d:
        for begin in range(0, len(records), size):
            pipe(d, records[begin : begin + size], together=True)
        count = (LIMIT - 700) // 503
        assert d.store("states")["a"] == {"texts": mine[:count], "n": count}
        assert refused(d) == [("a", 2 * n) for n in range(count, 230)]
        assert d.store("states")["b"]["n"] == 230


@KINDS
def test_a_state_that_is_too_large_for_a_while_is_refused_however_many_records_come_at_once(build):
    """The last record would make it small again; alone it would find the state before the one that was refused."""
    records = [("a", text(2_000, n), n) for n in range(80)] + [("a", "cut", 80)]
    with limited(build(emit="latest")) as d:
        pipe(d, records, together=True)
        assert refused(d) == [("a", n) for n in range(52, 80)]
        assert d.store("states")["a"] == {"texts": [records[51][1]], "n": 53}


@pytest.mark.parametrize("ttl", [None, "1 hour"])
def test_a_timer_that_makes_a_state_too_large(ttl):
    @hf.stateful(state=Pages, returns=str, ttl=ttl)
    def f(key, event, state, timers):
        state.texts.append(event)
        timers.at(timers.timestamp + timedelta(milliseconds=5), "grow")
        return f"{key} {len(state.texts)}"

    @f.on_timer
    def grow(key, name, state, timers):
        state.texts.append(text(PART, 99))
        state.texts.append(text(PART, 98))
        return f"{key} grown"

    with limited(stateful_app(f, tasks=1)) as d:
        pipe(
            d, [("a", text(PART, 1), 0), ("a", text(PART, 2), 1), ("b", "small", 1), ("c", "later", 20)], together=True
        )
        (letter,) = d.dead_letters()
        assert "timer 'grow': " in letter.reason
        assert "the state of key a in store 'states' would take 1200" in letter.reason
        assert pairs(d, "out") == [("a", "a 1"), ("a", "a 2"), ("b", "b 1"), ("b", "b grown"), ("c", "c 1")]
        assert d.store("states")["a"]["texts"] == [text(PART, 1), text(PART, 2)]
        d.pipe("in", "more", key="a", timestamp=21)
        assert len(d.store("states")["a"]["texts"]) == 3


def test_a_key_that_the_changelog_does_not_take():
    with limited(stateful()) as d:
        long = text(LIMIT, 5)
        pipe(d, [("a", "x", 0), (long, "x", 1), ("a", "y", 2)], together=True)
        assert refused(d) == [(long, 1)]
        assert d.store("states")["a"]["n"] == 2


def test_what_is_not_written_to_a_changelog_may_be_of_any_size():
    with limited(stateful_app(hf.stateful(state=Pages, returns=str)(grown), store=None, tasks=1)) as d:
        pipe(d, [("a", text(PART, n), n) for n in range(6)], together=True)
        assert d.dead_letters() == []
        assert pairs(d, "out")[-1] == ("a", "6 of 6")


def test_a_processor_may_catch_what_put_raises():
    class Careful(hf.Processor[str, str]):
        returns = str
        states = hf.StateStore("states", key=str, value=str)

        def process(self, record: hf.Record[str, str]) -> None:
            try:
                self.states[record.key] = (self.states.get(record.key) or "") + record.value
                answer = "kept"
            except hf.StateRefused as refusal:
                self.states[record.key] = record.value
                answer = str(refusal)
            self.context.forward(record.replace(value=answer))

    app = hf.App("catches", tasks=1)
    app.stream("in", str, key=str).process(Careful).to("out")
    with limited(app) as d:
        pipe(d, [("a", text(PART, n), n) for n in range(5)], together=True)
        assert d.dead_letters() == []
        answers = [answer for _, answer in pairs(d, "out")]
        assert "store 'states' would take 1200" in answers.pop(3)
        assert answers == ["kept"] * 4
        assert d.store("states")["a"] == text(PART, 3) + text(PART, 4)


def test_what_a_refused_record_did_to_other_stores_is_undone():
    with limited(processor()) as d:
        pipe(d, [("a", text(PART, n), n) for n in range(6)], together=True)
        assert len(d.dead_letters()) == 3
        assert d.store("seen")["a"] == 3


def test_a_processor_puts_a_long_key():
    class Keys(hf.Processor[str, str]):
        returns = str
        states = hf.StateStore("states", key=str, value=int)

        def process(self, record: hf.Record[str, str]) -> None:
            self.states[record.value] = 1

    app = hf.App("keys", tasks=1)
    app.stream("in", str, key=str).process(Keys).to("out")
    with limited(app) as d:
        pipe(d, [("a", "x", 0), ("a", text(LIMIT, 1), 1), ("a", "y", 2)], together=True)
        assert refused(d) == [("a", 1)]
        assert [key for key, _ in d.store("states").all()] == ["x", "y"]


def test_a_punctuation_that_makes_an_entry_too_large():
    class Later(hf.Processor[str, str]):
        returns = str
        states = hf.StateStore("states", key=str, value=str)

        def init(self, context) -> None:
            context.schedule("10 ms", self.grow)

        def grow(self, when) -> None:
            for key, value in self.states.all():
                self.states[key] = value * 2

        def process(self, record: hf.Record[str, str]) -> None:
            self.states[record.key] = record.value

    app = hf.App("later", tasks=1)
    app.stream("in", str, key=str).process(Later).to("out")
    with limited(app) as d:
        large = text(LIMIT * 2 // 3, 1)
        pipe(d, [("a", "small", 11), ("b", large, 12), ("c", "x", 25)], together=True)
        (letter,) = d.dead_letters()
        assert "the state of key b in store 'states' would take" in letter.reason
        assert dict(d.store("states").all()) == {"a": "smallsmall", "b": large, "c": "x"}


@BATCHES
def test_a_record_that_would_join_two_sessions_to_one_that_is_too_large(together):
    app = hf.App("sessions", tasks=1)
    windows = app.stream("in", str, key=str).group_by_key().windowed_by(hf.session("15 ms", grace="1 hour"))
    windows.aggregate(
        Pages(),
        hf.python(collected, returns=Pages),
        merge=hf.python(lambda a, b: Pages(a.texts + b.texts, a.n + b.n), returns=Pages),
        store="states",
    )
    parts = [text(PART, n) for n in range(6)]
    with limited(app) as d:
        times = [0, 5, 30, 35, 18, 100]
        pipe(d, [("a", part, time) for part, time in zip(parts, times, strict=True)], together=together)
        pipe(d, [("a", "more", 37), ("a", "little", 6)], together=together)
        assert refused(d) == [("a", 18)]
        found = sorted(each["texts"] for _, each in d.store("states").all())
        assert found == sorted([[parts[5]], [parts[0], parts[1], "little"], [parts[2], parts[3], "more"]])


@BATCHES
def test_windows_have_a_limit_each(together):
    app = hf.App("windows", tasks=1)
    windows = app.stream("in", str, key=str).group_by_key().windowed_by(hf.tumbling("10 ms", grace="1 hour"))
    windows.aggregate(Pages(), hf.python(collected, returns=Pages), store="states")
    with limited(app) as d:
        pipe(
            d, [("a", text(PART, n), time) for n, time in enumerate([0, 11, 1, 12, 2, 13, 3, 4, 14])], together=together
        )
        assert refused(d) == [("a", 3), ("a", 4), ("a", 14)]
        assert [each["n"] for _, each in d.store("states").all()] == [3, 3]


@BATCHES
def test_rows_of_a_table_that_make_an_aggregate_too_large(together):
    """A row that is replaced is taken out of the aggregate before the new one comes."""

    def joined(state: str, row: dict) -> str:
        return state + row["text"]

    def parted(state: str, row: dict) -> str:
        return state.replace(row["text"], "")

    app = hf.App("table", tasks=1)
    rows = app.table("in", "group STRING NOT NULL, text STRING NOT NULL", key=str)
    rows.group_by(lambda r: r.group).aggregate(
        "", hf.python(joined, returns=str), subtract=hf.python(parted, returns=str), store="states"
    )
    parts = [text(PART, n) for n in range(6)]
    with limited(app) as d:
        pipe(d, [(f"row{n}", {"group": "g", "text": parts[n]}, n) for n in range(4)], together=together)
        assert [time for _, time in refused(d)] == [3]
        assert d.store("states")["g"] == "".join(parts[:3])
        pipe(
            d,
            [("row0", {"group": "g", "text": "small"}, 10), ("row4", {"group": "g", "text": parts[4]}, 11)],
            together=together,
        )
        assert d.store("states")["g"] == parts[1] + parts[2] + "small" + parts[4]
