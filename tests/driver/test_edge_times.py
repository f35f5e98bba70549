"""Times at the edges of what records may have, through everything that counts with time."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

LAST = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z
DAY = 86_400_000
POSSIBLE = [0, 1, DAY - 1, DAY, 1_767_268_800_000, LAST - 2 * DAY, LAST - DAY, LAST - 1, LAST]
IMPOSSIBLE = [LAST + 1, 2**53, (2**63 - 1) // 1000, (2**63 - 1) // 1000 + 1, 2**62, 2**63 - DAY, 2**63 - 2, 2**63 - 1]
BEFORE = [-1, -2, -DAY, -LAST, -(2**62), -(2**63)]
LONGEST = "3652500 days"
"""10,000 years."""
SCHEMA = "n BIGINT, at BIGINT"

WINDOWS = {
    "tumbling": hf.tumbling("1 day"),
    "tumbling final": hf.tumbling("1 day", grace="1 hour", emit="final"),
    "tumbling for ever": hf.tumbling(LONGEST, grace=LONGEST),
    "hopping": hf.hopping("1 day", advance="6 hours", grace="1 day"),
    "hopping for ever": hf.hopping(LONGEST, advance="1000000 days"),
    "sliding": hf.sliding("1 day", grace="1 day"),
    "sliding for ever": hf.sliding(LONGEST, grace=LONGEST),
    "session": hf.session("1 day", grace="1 day"),
    "session final": hf.session("1 day", emit="final"),
    "session for ever": hf.session(LONGEST, grace=LONGEST),
    "days": hf.calendar("day", timezone="Pacific/Kiritimati"),
    "weeks": hf.calendar("week", timezone="America/New_York", grace="1 day"),
    "months": hf.calendar("month", timezone="Europe/Berlin", emit="final"),
    "trailing": hf.trailing("1 day", grace="1 day"),
    "trailing for ever": hf.trailing(LONGEST, grace=LONGEST),
    "last": hf.sliding_count(3),
    "every": hf.tumbling_count(2),
}


def windowed(window):
    return lambda stream, other: stream.group_by_key().windowed_by(window).agg(n=F.sum("n"), store="kept").to("out")


def suppressed(until, window=None):
    def program(stream, other):
        grouped = stream.group_by_key()
        grouped = grouped.windowed_by(window) if window else grouped
        grouped.count(store="kept").suppress(until).to("out")

    return program


def joined(how, **options):
    def program(stream, other):
        getattr(stream, how)(other, lambda a, b: {"a": F.coalesce(a.n, 0)}, **options).to("out")

    return program


def versioned(stream, other):
    table = other.to_table(store=hf.Materialized("kept", versioned=LONGEST))
    stream.left_join(table, lambda a, b: {"a": a.n}).to("out")


def with_grace(stream, other):
    table = other.to_table(store=hf.Materialized("kept", versioned="2 days"))
    stream.join(table, lambda a, b: {"a": a.n}, grace="1 day").to("out")


def expiring(ttl):
    return lambda stream, other: stream.to_table(store=hf.Materialized("kept", ttl=ttl, emit="every")).to("out")


def pattern(second):
    steps = {"first": lambda e: e.n > 0, "second": second}
    return lambda stream, other: stream.group_by_key().match(hf.sequence(**steps), within="1 day").to("out")


def longer(state, value):
    return {"n": state.n + value.n, "at": 0}


def counted(key, value):
    return {"n": key.start.year, "at": key.end.year}


@hf.stateful(state={"n": int}, returns=int)
def visits(key, value, state, timers):
    state.n += 1
    return key.end.year


def folded(stream, other):
    stream.group_by_key().windowed_by(hf.tumbling("1 day")).reduce(hf.python(longer, returns=SCHEMA), store="kept").to(
        "out"
    )


def called(window):
    def program(stream, other):
        windows = stream.group_by_key().windowed_by(window).agg(n=F.sum("n"), store="kept").to_stream()
        windows.map_values(hf.python(counted, returns=SCHEMA)).to("out")
        windows.process(visits).to("visits")

    return program


PROGRAMS = {
    **{name: windowed(window) for name, window in WINDOWS.items()},
    "suppress until closed": suppressed(hf.until_window_closes(), hf.tumbling("1 day", grace="1 hour")),
    "suppress for a while": suppressed(hf.until_time("1 day")),
    "suppress for ever": suppressed(hf.until_time(LONGEST)),
    "join": joined("join", within="1 day", grace="1 day"),
    "left join": joined("left_join", within="1 day"),
    "outer join": joined("outer_join", within=hf.JoinWindow(before="1 day", after="2 days", grace="1 hour")),
    "join for ever": joined("join", within=LONGEST, grace=LONGEST),
    "versioned": versioned,
    "join with grace": with_grace,
    "ttl": expiring("1 day"),
    "ttl for ever": expiring(LONGEST),
    "deduplicate": lambda stream, other: stream.deduplicate("n", within="1 day").to("out"),
    "deduplicate for ever": lambda stream, other: stream.deduplicate("n", within=LONGEST).to("out"),
    "match": pattern(lambda e: e.n > 1),
    "match absent": pattern(hf.absent(lambda e: e.n > 1_000)),
    "fold": folded,
    "called with windows": called(hf.tumbling("1 day")),
    "called with windows for ever": called(hf.tumbling(LONGEST)),
    "called with sessions": called(hf.session("1 day")),
}


def app(program, timestamp):
    made = hf.App("edges", tasks=1)
    options = {"key": str, "timestamp": timestamp, "max_ahead": None, "close_on_idle": "1 hour"}
    program(made.stream("in", SCHEMA, **options), made.stream("other", SCHEMA, **options))
    return made


def pipe(d, topic, n, at, timestamp):
    d.pipe(topic, {"n": n, "at": at}, key="k", timestamp=0 if timestamp else at)


@pytest.mark.parametrize("timestamp", [None, "at"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_times_at_the_edges_are_taken_or_dead_letters(program, timestamp):
    with Driver(app(PROGRAMS[program], timestamp)) as d:
        # A record without its own time comes as -1; Kafka gives no others below zero.
        refused = [*IMPOSSIBLE, *(BEFORE if timestamp else [-1])]
        for n, at in enumerate([*POSSIBLE, *refused, *reversed(POSSIBLE)], 1):
            for topic in ("in", "other") if "other" in d._sources else ("in",):
                pipe(d, topic, n, at, timestamp)
        d.advance(days=400)
        d.advance(days=400_000)
        found = [letter for letter in d.dead_letters() if not letter.reason.endswith("which Python does not have")]
        assert {letter.node for letter in found} <= {"in", "other"}, [letter.reason for letter in found]
        assert len([letter for letter in found if letter.node == "in"]) == len(refused)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_order_of_times_at_the_edges_makes_no_failure(program):
    with Driver(app(PROGRAMS[program], None)) as d, d.batch():
        for n, at in enumerate([LAST, 0, LAST - 1, 1, LAST, DAY], 1):
            pipe(d, "in", n, at, None)
    assert [each for each in d.dead_letters() if not each.reason.endswith("which Python does not have")] == []
