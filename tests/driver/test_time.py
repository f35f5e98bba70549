"""Where a record's time comes from."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z
LATE = "the time is too far in the future: {} ms is after the year 9999; milliseconds since 1970 were wanted"


def copy(schema, timestamp=None, clock=None, **options):
    app = hf.App("times")
    app.stream("in", schema, key=str, timestamp=timestamp, **options).to("out")
    return Driver(app, clock=clock)


def time_of(schema, value, timestamp, **options):
    with copy(schema, timestamp, **options) as d:
        d.pipe("in", value, key="k", timestamp=77)
        found = timed(d, "out")
        return found[0][2] if found else letters(d)[0]


def test_the_record_is_the_default_and_the_wall_clock_is_asked_for():
    assert time_of("x BIGINT", {"x": 1}, None) == 77
    assert time_of("x BIGINT", {"x": 1}, hf.record_time) == 77
    with copy("x BIGINT", hf.wall_clock, clock=NOON) as d:
        d.pipe("in", {"x": 1}, key="k", timestamp=77)
        d.advance(seconds=1.5)
        d.pipe("in", {"x": 1}, key="k", timestamp=77)
        assert [at for *_, at in timed(d, "out")] == [NOON, NOON + 1500]


@pytest.mark.parametrize(
    ("kind", "value", "options"),
    [
        ("TIMESTAMP", "2026-01-01T12:00:00Z", {}),
        ("TIMESTAMP", NOON, {}),
        ("BIGINT", NOON, {}),
        ("DOUBLE", NOON + 0.7, {}),
        ("DECIMAL(20,3)", NOON + 0.25, {}),
        ("STRING", "2026-01-01T12:00:00Z", {}),
        ("STRING", "2026-01-01T13:00:00.000+01:00", {}),
        ("STRING", "2026-01-01 12:00:00", {}),
        ("STRING", "2026-01-01T13:00", {"timezone": "Europe/Berlin"}),
        ("TIMESTAMP_NTZ", "2026-01-01T13:00:00", {"timezone": "Europe/Berlin"}),
    ],
)
def test_a_field_of_any_fitting_type(kind, value, options):
    assert time_of(f"t {kind}", {"t": value}, "t", **options) == NOON


@pytest.mark.parametrize(("schema", "timestamp"), [("t TIMESTAMP", "t"), ("t STRING", lambda v: F.to_timestamp(v.t))])
def test_a_zone_that_a_timestamp_does_not_heed_is_refused(schema, timestamp):
    outputs = "timezone=Europe/Berlin changes nothing for a TIMESTAMP, in which a time without a zone was read as UTC"
    with pytest.raises(HoldfastError, match=outputs):
        copy(schema, timestamp, timezone="Europe/Berlin")
    assert time_of(schema, {"t": "2026-01-01T12:00:00"}, timestamp) == NOON


def test_a_date_is_midnight_where_the_user_says():
    assert time_of("t DATE", {"t": "2026-01-01"}, "t") == NOON - 12 * 3_600_000
    assert time_of("t DATE", {"t": "2026-01-01"}, "t", timezone="America/New_York") == NOON - 7 * 3_600_000
    assert time_of("t STRING", {"t": "2026-01-01"}, "t", timezone="Asia/Tokyo") == NOON - 21 * 3_600_000


def test_an_expression_and_metadata():
    assert time_of("s BIGINT", {"s": 5}, lambda v: v.s * 1000) == 5000
    assert (
        time_of("s BIGINT", {"s": 5}, lambda v: hf.timestamp() + F.make_dt_interval(F.lit(0), F.lit(0), F.lit(1)))
        == 60_077
    )


def test_a_header_may_hold_the_time():
    app = hf.App("times")
    header = lambda v: F.cast(F.cast(F.element_at(hf.headers(), F.lit("at")), "string"), "bigint")  # noqa: E731
    app.stream("in", str, key=str, timestamp=header).to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="k", headers={"at": b"1234"})
        d.pipe("in", "y", key="k")
        assert timed(d, "out") == [("k", "x", 1234)]
        assert letters(d) == [("in", "the time is null")]


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        ("BIGINT", None, "the time is null"),
        ("BIGINT", -1, "the time is before 1970: -1 ms"),
        ("DOUBLE", "NaN", "the time is not a number"),
        ("BIGINT", 2**62, LATE.format(2**62)),
        ("TIMESTAMP", "1969-12-31T23:59:59Z", "the time is before 1970: -1000 ms"),
        ("BIGINT", 253_402_300_800_000, LATE.format(253_402_300_800_000)),
        ("DOUBLE", 1e300, LATE.format(2**63 - 1)),
        ("DOUBLE", -0.5, "the time is before 1970: -1 ms"),
        ("STRING", "+10000-01-01T00:00:00Z", LATE.format(253_402_300_800_000)),
        (
            "STRING",
            "+999999999-12-31T23:59:59Z",
            'the time "+999999999-12-31T23:59:59Z" is outside of the years 1970 to 9999',
        ),
        ("STRING", "yesterday", 'the time "yesterday" is not ISO 8601'),
    ],
)
def test_times_that_are_refused(kind, value, why):
    assert time_of(f"t {kind}", {"t": value}, "t") == ("in", why)


def test_a_decimal_with_more_digits_than_a_long_is_not_cut_to_one_that_fits():
    with copy("t DECIMAL(38,0)", "t") as d:
        for time in (2**64 + 5, -(2**64) + 5):
            d.pipe("in", b'{"t": %d}' % time, key="k")
        assert letters(d) == [("in", LATE.format(2**63 - 1)), ("in", f"the time is before 1970: {-(2**63)} ms")]


def test_a_record_without_time_is_refused():
    with copy("x BIGINT") as d:
        d._run([{"topic": "in", "timestamp": -1, "key": None, "value": None, "headers": {}}])
        assert letters(d) == [("in", "the record has no time")]


@pytest.mark.parametrize("time", [2**63 - 1, 1_700_000_000_000_000_000])
def test_a_time_of_kafkas_that_is_too_late_to_count_with_is_refused_and_moves_nothing(time):
    app = hf.App("times", tasks=1)
    window = hf.tumbling("1 minute", emit="final")
    app.stream("in", str, key=str, close_on_idle="1 s").group_by_key().windowed_by(window).count(store="n").to("out")
    with Driver(app) as d:
        with d.batch():
            d.pipe("in", "a", key="k", timestamp=0)
            d.pipe("in", "b", key="k", timestamp=time)
            d.pipe("in", "c", key="k", timestamp=1)
        d.advance(seconds=30)
        assert letters(d) == [("in", LATE.format(time))]
        assert (d.late(), d.read("out")) == ([], [])
        d.advance(seconds=30)
        assert [r.value for r in d.read("out")] == [2]


@pytest.mark.parametrize("time", [2**63 - 1, 2**53])
def test_an_expression_over_a_time_of_kafkas_that_is_too_late_to_count_with_is_refused(time):
    app = hf.App("times")
    later = lambda v: hf.timestamp() + F.make_dt_interval(F.lit(0), F.lit(0), F.lit(1))  # noqa: E731
    app.stream("in", "x BIGINT", key=str, timestamp=later).to("out")
    with Driver(app) as d:
        d.pipe("in", {"x": 1}, key="k", timestamp=time)
        assert (d.read("out"), letters(d)) == ([], [("in", LATE.format(time))])


def test_a_time_of_kafkas_that_nobody_looks_at_may_be_any():
    with copy("t BIGINT", "t") as d:
        d.pipe("in", {"t": NOON}, key="k", timestamp=2**63 - 1)
        assert [at for *_, at in timed(d, "out")] == [NOON]


def test_a_delete_has_the_time_of_its_record():
    app = hf.App("times")
    app.table("in", "t BIGINT", key=str, store=hf.Materialized("t", emit="every"), timestamp="t").to("out")
    with Driver(app) as d:
        d.pipe("in", {"t": 500}, key="k", timestamp=1)
        d.pipe("in", None, key="k", timestamp=2)
        assert [at for *_, at in timed(d, "out")] == [500, 2]


@pytest.mark.parametrize("kind", ["ARRAY<BIGINT>", "BINARY", "BOOLEAN", "MAP<STRING, BIGINT>"])
def test_a_type_that_is_no_time_is_refused(kind):
    with pytest.raises(HoldfastError, match="timestamp= "):
        copy(f"t {kind}", "t")
    with pytest.raises(HoldfastError, match="timestamp= must be a time"):
        copy(f"t {kind}", F.expr("t"))


@pytest.mark.parametrize(
    "sql", ["timestamp'now'", "DATE 'today'", 'timestamp_ntz"yesterday"', "now()", "current_date()"]
)
def test_a_clock_in_sql_is_refused_because_a_repeated_batch_would_get_another_time(sql):
    app = hf.App("times")
    app.stream("in", "x BIGINT", key=str).map_values(lambda v: dict(at=F.expr(sql))).to("out")
    with pytest.raises(HoldfastError, match=r"gives another answer when a batch is repeated|is not deterministic"):
        Driver(app)
