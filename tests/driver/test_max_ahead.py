"""Records whose time is too far ahead of the clock."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z
DAY = 86_400_000
IN_2099 = 4_070_908_800_000
AHEAD = (
    "the time 2099-01-01T00:00:00Z is 26662 days 12 hours ahead of the clock, which said 2026-01-01T12:00:00Z; "
    "1 day is allowed, max_ahead= of the source changes that"
)
MINUTES = hf.tumbling("1 minute", emit="final")


def copying(**options):
    app = hf.App("ahead", tasks=1)
    app.stream("in", "at BIGINT", key=str, **options).to("out")
    return app


def counting(window=MINUTES, **options):
    app = hf.App("ahead", tasks=1)
    app.stream("in", str, key=str, **options).group_by_key().windowed_by(window).count(store="n").to("out")
    return app


@pytest.mark.parametrize(
    ("options", "allowed"),
    [({}, DAY), ({"max_ahead": "2 hours"}, 7_200_000), ({"max_ahead": "0 s"}, 0), ({"timestamp": "at"}, DAY)],
)
def test_a_time_may_be_so_far_ahead_and_no_further(options, allowed):
    with Driver(copying(**options), clock=NOON) as d:
        for at in (0, NOON, NOON + allowed, NOON + allowed + 1):
            d.pipe("in", {"at": at}, key="k", timestamp=5 if "timestamp" in options else at)
        assert [at for *_, at in timed(d, "out")] == [0, NOON, NOON + allowed]
        (letter,) = d.dead_letters()
        assert "ahead of the clock" in letter.reason


def test_the_reason_says_which_time_how_far_what_is_allowed_and_how_to_change_that():
    with Driver(copying(), clock=NOON) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=IN_2099)
        assert letters(d) == [("in", AHEAD)]


def test_none_lets_every_time_come():
    with Driver(copying(max_ahead=None), clock=NOON) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=IN_2099)
        assert [at for *_, at in timed(d, "out")] == [IN_2099]


def test_a_driver_whose_clock_nobody_has_set_judges_no_record():
    with Driver(copying()) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=IN_2099)
        assert [at for *_, at in timed(d, "out")] == [IN_2099]


def test_the_clock_decides_as_it_is_when_the_record_is_read():
    with Driver(copying(max_ahead="1 hour"), clock=NOON) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=NOON + 2 * 3_600_000)
        d.advance(hours=1)
        d.pipe("in", {"at": 2}, key="k", timestamp=NOON + 2 * 3_600_000)
        assert [v["at"] for _, v, _ in timed(d, "out")] == [2]
        assert len(d.dead_letters()) == 1


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("value", ["b", None])
def test_a_record_that_is_too_far_ahead_moves_no_time(together, value):
    with Driver(counting(close_on_idle="1 s"), clock=NOON) as d:
        records = [("a", NOON), (value, IN_2099), ("c", NOON + 1)]
        if together:
            with d.batch():
                for each, at in records:
                    d.pipe("in", each, key="k", timestamp=at)
        else:
            for each, at in records:
                d.pipe("in", each, key="k", timestamp=at)
        d.advance(seconds=30)
        assert (letters(d), d.late(), d.read("out")) == ([("in", AHEAD)], [], [])
        d.advance(seconds=30)
        assert [r.value for r in d.read("out")] == [2]


def test_one_that_cannot_be_decoded_moves_none_either():
    app = hf.App("ahead", tasks=1)
    keyed = app.stream("in", "at BIGINT", key=str).group_by_key()
    keyed.windowed_by(MINUTES).count(store="n").to("out")
    with Driver(app, clock=NOON) as d:
        with d.batch():
            d.pipe("in", {"at": 1}, key="k", timestamp=NOON)
            d._batch.append({**d._batch[0], "value": "eA==", "timestamp": IN_2099})
            d.pipe("in", {"at": 1}, key="k", timestamp=NOON + 1)
            d.pipe("in", {"at": 1}, key="k", timestamp=NOON + 60_000)
        assert [at for *_, at in timed(d, "out")] == [NOON + 1]
        assert len(d.dead_letters()) == 1


@pytest.mark.parametrize("timestamp", [None, "at"])
def test_rows_of_tables_are_refused_likewise(timestamp):
    app = hf.App("ahead", tasks=1)
    app.table("in", "at BIGINT", key=str, store="rows", timestamp=timestamp)
    with Driver(app, clock=NOON) as d:
        d.pipe("in", {"at": NOON}, key="k", timestamp=NOON)
        d.pipe("in", {"at": IN_2099}, key="k", timestamp=NOON if timestamp else IN_2099)
        d.pipe("in", None, key="k", timestamp=IN_2099)
        assert letters(d) == [("in", AHEAD), ("in", AHEAD)]
        assert d.store("rows")["k"] == {"at": NOON}


def test_rows_of_global_tables_are_refused_likewise():
    app = hf.App("ahead", tasks=1)
    names = app.global_table("names", str, key=str)
    app.stream("in", str, key=str).join(names, lambda v, name: name, on=lambda v: v).to("out")
    with Driver(app, clock=NOON) as d:
        d.pipe("names", "one", key="k", timestamp=NOON)
        d.pipe("names", "two", key="k", timestamp=IN_2099)
        d.pipe("in", "k", key="x", timestamp=NOON)
        assert letters(d) == [("names", AHEAD)]
        assert [r.value for r in d.read("out")] == ["one"]
    app = hf.App("ahead", tasks=1)
    assert app.global_table("names", str, key=str, max_ahead=None).node.details()["max_ahead"] is None


def test_an_epoch_that_is_repeated_decides_the_same():
    with Driver(counting(), clock=NOON) as d:
        d.crash(in_next_batch=True)
        with d.batch():
            for value, at in (("a", NOON), ("b", IN_2099), ("c", NOON + 60_000)):
                d.pipe("in", value, key="k", timestamp=at)
        assert letters(d) == [("in", AHEAD)]
        assert [r.value for r in d.read("out")] == [1]


def test_a_replayed_record_is_judged_by_the_clock_of_the_replay():
    with Driver(counting(), clock=NOON) as d:
        d.pipe("in", "a", key="k", timestamp=NOON + 2 * DAY)
        (letter,) = d.dead_letters()
        d.replay(letter)
        (again,) = d.dead_letters()
        assert "1 day is allowed" in again.reason
        d.advance(hours=25)
        d.replay(again)
        assert d.dead_letters() == []
        d.pipe("in", "b", key="k", timestamp=NOON + 2 * DAY + 60_000)
        assert [r.value for r in d.read("out")] == [1]


def test_a_changed_limit_is_no_other_state_and_lets_replays_through():
    def program(**options):
        app = hf.App("ahead", tasks=1)
        # Neither has a name, so both hang on what they are made of.
        app.stream("in", str, key=str, **options).group_by_key().count().to("out")
        return app

    with Driver(program(), clock=NOON) as d:
        d.pipe("in", "a", key="k", timestamp=NOON)
        d.pipe("in", "b", key="k", timestamp=IN_2099)
        (letter,) = d.dead_letters()
        assert d.restart(program(max_ahead=None)) == []
        d.replay(letter)
        assert [r.value for r in d.read("out")] == [1, 2]


def test_dead_letters_that_the_app_reads_are_not_refused_for_the_time_of_their_record():
    app = copying()
    app.dead_letters.to("lost")
    with Driver(app, clock=NOON) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=IN_2099)
        d.pipe("in", {"at": 2}, key="k", timestamp=2**63 - 1)
        d.pipe("in", b"{", key="k", timestamp=NOON - 1)
        assert len(d.dead_letters()) == 3
        assert [at for *_, at in timed(d, "lost")] == [NOON, NOON, NOON - 1]


def test_the_wall_clock_is_never_ahead_of_itself():
    with Driver(copying(timestamp=hf.wall_clock, max_ahead="0 s"), clock=NOON) as d:
        d.pipe("in", {"at": 1}, key="k", timestamp=IN_2099)
        assert [at for *_, at in timed(d, "out")] == [NOON]
