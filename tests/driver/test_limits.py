"""Large and strange records: values of a megabyte, a thousand fields, long keys, the first and the far days of time."""

import json
from datetime import UTC, datetime

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

MEGABYTE = "é" * 500_000
FIRST, FAR = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def test_values_of_a_megabyte_are_kept_and_changed():
    app = hf.App("large")
    documents = app.stream("documents", "text STRING NOT NULL", key=str)
    documents.map_values(lambda d: dict(size=F.length(d.text), text=d.text)).group_by_key().reduce(
        lambda old, new: new, store="last"
    ).to("out")
    with Driver(app) as d:
        d.pipe("documents", {"text": "small"}, key="a")
        d.pipe("documents", {"text": MEGABYTE}, key="a")
        assert d.store("last")["a"] == {"size": 500_000, "text": MEGABYTE}
        assert len(d.read("out")) == 2


def test_a_large_value_that_is_refused_is_a_dead_letter_in_full():
    app = hf.App("refused")
    app.stream("in", "n INT NOT NULL", key=str).to("out")
    with Driver(app) as d:
        d.pipe("in", json.dumps({"n": MEGABYTE}).encode(), key="a")
        (letter,) = d.dead_letters()
        assert len(letter.record.value) > 1_000_000
        assert len(letter.reason) < 1_000


@pytest.mark.parametrize("fields", [1000])
def test_a_thousand_fields(fields):
    names = [f"field_{n}" for n in range(fields)]
    app = hf.App("wide")
    rows = app.stream("rows", ", ".join(f"{name} BIGINT" for name in names), key=str)
    rows.filter(lambda r: r.field_999 > 0).group_by_key().reduce(lambda old, new: new, store="last").to("out")
    rows.group_by_key().agg(total=F.sum("field_500"), store="totals")
    with Driver(app) as d:
        row = {name: n for n, name in enumerate(names)}
        d.pipe("rows", row, key="a")
        d.pipe("rows", row, key="a")
        assert d.store("last")["a"] == row
        assert d.store("totals")["a"]["total"] == 1000


@pytest.mark.parametrize("key", ["ключ" * 50, "🦔" * 200, "\u0000" * 200, "é\u0301" * 100, "ß" * 199 + "\U0010ffff"])
def test_long_keys_of_any_letters(key):
    app = hf.App("letters")
    counts = app.stream("in", str, key=str).group_by_key().count(store="counts")
    counts.to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key=key)
        d.pipe("in", "x", key=key)
        assert dict(d.store("counts").all()) == {key: 2}
        assert {record.key for record in d.read("out")} == {key}


def test_windows_at_the_first_and_at_far_days_of_time():
    app = hf.App("times")
    stream = app.stream("in", str, key=str)
    stream.group_by_key().windowed_by(hf.tumbling("1 hour")).count(store="hours")
    stream.group_by_key().windowed_by(hf.session("1 hour")).count(store="sessions")
    stream.group_by_key().windowed_by(hf.calendar("month", timezone="Europe/Berlin")).count(store="months")
    with Driver(app) as d:
        for time in (FIRST, FAR):
            d.pipe("in", "x", key="a", timestamp=time)
            assert [each.start for each, _ in d.store("hours").all()] == [time]
            assert [each.start for each, _ in d.store("sessions").all()] == [time]
            assert [each.start <= time < each.end for each, _ in d.store("months").all()] == [True]
        d.pipe("in", "x", key="a", timestamp=FIRST)
        assert len(d.late()) == 3


def test_half_of_all_records_have_one_key():
    app = hf.App("hot", tasks=4)
    stream = app.stream("in", "n BIGINT NOT NULL", key=str)
    stream.group_by_key().agg(n=F.count("*"), total=F.sum("n"), store="totals")
    stream.select_key(lambda r: F.cast(r.n % 7, "string")).group_by_key().count(store="rest")
    with Driver(app) as d:
        with d.batch():
            for n in range(4000):
                d.pipe("in", {"n": n}, key="hot" if n % 2 else f"key-{n}")
        totals = dict(d.store("totals").all())
        assert totals["hot"] == {"n": 2000, "total": sum(range(1, 4000, 2))}
        assert len(totals) == 2001
        assert sum(n for _, n in d.store("rest").all()) == 4000
