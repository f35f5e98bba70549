"""What the dashboard makes of an app's telemetry: rates, quantiles, points over time, events, groups of letters."""

import pytest

from holdfast.server.dashboard.dashboard import _figures, _measured, _sizes
from holdfast.server.dashboard.differences import Difference, quantile
from holdfast.server.dashboard.events import Events
from holdfast.server.dashboard.letters import MOST, RecentLetters
from holdfast.server.dashboard.series import MOST_NAMES, Series
from holdfast.topics.records import Record

SECOND = 1000


def record(at, run="a", **figures):
    return {"v": 1, "at": at * SECOND, "run": run, "began": 0, "status": "running", **figures}


def latency(*counts):
    return {"out": {"bounds": [1.0, 2.0], "counts": list(counts), "sum": 0.0}}


def test_rates_are_differences_over_time():
    made = Difference(record(10, records={"in": 100}), record(12, records={"in": 300, "new": 8}))
    assert made.rates("records") == {"in": 100.0, "new": 4.0}


def test_counters_that_begin_anew_are_no_negative_rate():
    assert Difference(record(1, records={"in": 9}), record(2, records={"in": 3})).rates("records") == {"in": 0.0}


def test_quantiles_are_of_what_was_added():
    made = Difference(record(1, latency=latency(100, 0, 0)), record(2, latency=latency(100, 10, 0)))
    assert made.quantiles("latency", 0.5) == [1.5]
    assert Difference(made.after, made.after).quantiles("latency", 0.5) is None


@pytest.mark.parametrize(("counts", "wanted", "found"), [([0, 0, 5], 0.5, 2.0), ([4, 0, 0], 1.0, 1.0), ([], 0.5, 2.0)])
def test_quantiles_at_the_edges(counts, wanted, found):
    assert quantile([1.0, 2.0], counts, wanted) == found


def test_a_step_has_what_the_charts_show():
    before = record(1, records={"in": 0}, written={"out": 0}, latency=latency(0, 0, 0))
    after = record(
        3, records={"in": 20}, written={"out": 10}, latency=latency(2, 0, 0), lag={"in": 7}, late={"n": 4},
        last=[{"epoch": 1, "ms": 500}, {"epoch": 2, "ms": 300}], source_time={"in": 2.5},
        state={"0": {"memory": 2, "disk": 3}},
    )  # fmt: skip
    found = _measured(Difference(before, after))
    wanted = {
        "rate/read": 10,
        "rate/written": 5,
        "lag": 7,
        "rate/late": 2,
        "peak/epoch": 0.5,
        "behind/in": 0.5,
    }
    assert {name: found[name] for name in wanted} == wanted


def test_the_size_of_a_state_is_the_largest_lately():
    small, large = ({"0": {"memory": size, "disk": 3}} for size in (2, 9))
    assert _sizes([record(1, state=small), record(2, state=large), record(3, state=small)]) == {"state/0": 12}


def test_figures_of_nodes():
    before, after = record(0, taken={"n": 0}, busy={"n": 0.0}), record(10, taken={"n": 100}, busy={"n": 5.0})
    node = _figures(after, before)["nodes"]["n"]
    assert node == {"rate": 10.0, "taken": 100, "busy": 0.5, "micros": 50_000.0}


def test_points_are_bounded_in_number_and_in_names():
    series = Series((1000, 5), (10_000, 5))
    for second in range(1000):
        series.add(second * SECOND, {f"name-{number}": second for number in range(MOST_NAMES + 50)})
    fine, coarse = series.columns(999 * SECOND), series.columns(0)
    assert (len(coarse["t"]), coarse["step"], len(coarse["series"])) == (5, 10_000, MOST_NAMES)
    assert fine["t"] == [999 * SECOND]


def test_a_coarser_step_may_be_asked_for():
    series = Series((1000, 100), (10_000, 100))
    for second in range(30):
        series.add(second * SECOND, {"rate/read": second})
    assert series.columns(0, 10_000)["series"] == {"rate/read": [4.5, 14.5, 24.5]}


def kinds(events):
    return [(event.level, event.kind, event.count) for event in events]


def test_a_run_is_told_from_the_next():
    events, first, second = Events(), record(1), record(50, run="b")
    events.compare(None, first)
    events.compare(first, {**first, "at": 2000, "status": "failed", "problem": "disk full"})
    events.compare(first, second)
    assert kinds(events) == [("info", "started", 1), ("error", "failed", 1), ("info", "started", 1)]
    assert next(event.more for event in events if event.kind == "failed") == "disk full"


def test_letters_of_a_minute_are_one_event():
    events = Events()
    known = [record(at, dead={"no JSON": at}, late={"n": 2}) for at in range(1, 5)]
    for before, after in zip([None, *known], known, strict=False):
        events.compare(before, after)
    assert kinds(events)[1:] == [("error", "dead-letters", 4), ("warning", "late", 2)]


def test_an_epoch_is_slow_beside_those_before_it():
    events = Events()
    usual = record(1, last=[{"epoch": n, "ms": 400} for n in range(20)])
    events.compare(None, usual)
    events.compare(usual, record(2, last=[{"epoch": 20, "ms": 9000}]))
    assert kinds(events)[-1] == ("warning", "slow", 1)


def letter(offset, reason):
    said = {"topic": "in", "partition": "0", "offset": str(offset), "node": "n", "at": "shop.py:7", "reason": reason}
    headers = tuple((f"hf-{name}", text.encode()) for name, text in said.items())
    return Record("app-dead-letters", b"k", b'{"x": 1}', timestamp=5, headers=headers, partition=0, offset=offset)


def test_letters_are_grouped_by_what_their_reasons_share():
    letters = RecentLetters()
    for offset in range(8):
        letters.add(letter(offset, f"no number: {offset}"))
    letters.add(letter(9, "something else"))
    letters.add(Record("app-dead-letters", None, b"foreign"))
    first, second = letters.groups()
    assert (first["reason"], first["count"], len(first["letters"])) == ("no number: N", 8, 5)
    assert (second["reason"], second["letters"][0]["value"], second["at"]) == (
        "something else",
        '{"x": 1}',
        "shop.py:7",
    )


def test_letters_are_bounded():
    letters = RecentLetters()
    for offset in range(MOST + 10):
        letters.add(letter(offset, "x"))
    assert letters.groups()[0]["count"] == MOST
