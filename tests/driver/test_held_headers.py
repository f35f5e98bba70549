"""What is emitted later than it came keeps its headers, and says that it was replayed."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.joins import both

MARK = {"hf-replayed": b"1"}


def of(app):
    return app.stream("in", "v STRING NOT NULL", key=str)


def grouped(app):
    return of(app).group_by_key()


def final(window):
    def program(app):
        grouped(app).windowed_by(window).agg(n=F.count(), store="store").to_stream().select_key(lambda k, v: k.key).to(
            "out"
        )

    return program


def suppressed(app):
    counts = grouped(app).windowed_by(hf.tumbling("10 ms")).count(store="store")
    counts.suppress(hf.until_window_closes()).to_stream().select_key(lambda k, v: k.key).to("out")


def held_by_time(app):
    grouped(app).count(store="store").suppress(hf.until_time("10 ms")).to("out")


def joined(how, other="r", **options):
    def program(app):
        left, right = (s.map_values(lambda v: v.v) for s in (of(app), app.stream("r", "v STRING NOT NULL", key=str)))
        if other == "l":
            left, right = right, left
        getattr(left, how)(right, both, within="10 ms", **options).to("out")

    return program


def joined_with_grace(app):
    table = app.table("t", str, key=str, store=hf.Materialized("t", versioned="1 minute"))
    of(app).left_join(table, lambda v, t: v.v, grace="10 ms").to("out")


def matched(app):
    alone = hf.sequence(first=lambda v: v.v != "0", second=hf.absent(lambda v: v.v == "0"))
    grouped(app).match(alone, within="10 ms").to("out")


HELD = {
    "tumbling": final(hf.tumbling("10 ms", emit="final")),
    "hopping": final(hf.hopping("10 ms", advance="10 ms", emit="final")),
    "sliding": final(hf.sliding("5 ms", emit="final")),
    "session": final(hf.session("5 ms", emit="final")),
    "suppressed windows": suppressed,
    "suppressed for a time": held_by_time,
    "left join": joined("left_join"),
    "left join with late records": joined("left_join", late="too-late"),
    "outer join, left": joined("outer_join"),
    "outer join, right": joined("outer_join", other="l"),
    "join with grace": joined_with_grace,
    "pattern": matched,
}


def app_of(name):
    app = hf.App("held", tasks=1)
    HELD[name](app)
    return app


def first(records, key):
    return next(r.headers for r in records if r.key == key)


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize("name", HELD)
def test_the_headers_of_the_record_and_not_those_of_the_one_that_moved_time(name, crash):
    with Driver(app_of(name)) as d:
        d.pipe("in", {"v": "1"}, key="a", timestamp=1, headers={"trace": b"7"})
        assert d.read("out") == []
        if crash:
            d.crash()
        d.pipe("in", {"v": "2"}, key="b", timestamp=100, headers={"trace": b"8"})
        assert first(d.read("out"), "a") == {"trace": b"7"}


@pytest.mark.parametrize("name", HELD)
def test_without_headers_those_of_another_are_not_taken(name):
    with Driver(app_of(name)) as d:
        d.pipe("in", {"v": "1"}, key="a", timestamp=1)
        d.pipe("in", {"v": "2"}, key="b", timestamp=100, headers={"trace": b"8"})
        assert first(d.read("out"), "a") == {}


@pytest.mark.parametrize("name", HELD)
def test_a_replayed_record_says_so_when_it_is_emitted(name):
    with Driver(app_of(name)) as d:
        d.pipe("in", {}, key="a", timestamp=1, headers={"trace": b"7"})
        (letter,) = d.dead_letters()
        d.replay(letter, {"v": "1"})
        d.crash()
        d.pipe("in", {"v": "2"}, key="b", timestamp=100)
        records = d.read("out")
        assert first(records, "a") == {"trace": b"7", **MARK}
        d.pipe("in", {"v": "3"}, key="c", timestamp=200)
        assert first([*records, *d.read("out")], "b") == {}


SEVERAL = [name for name in HELD if "join" not in name and name not in ("pattern", "sliding")]


@pytest.mark.parametrize("name", SEVERAL)
def test_of_several_records_the_headers_of_the_last_and_whether_any_was_replayed(name):
    with Driver(app_of(name)) as d:
        d.pipe("in", {}, key="a", timestamp=1, headers={"trace": b"7"})
        (letter,) = d.dead_letters()
        d.replay(letter, {"v": "1"})
        d.pipe("in", {"v": "2"}, key="a", timestamp=2, headers={"trace": b"8"})
        d.pipe("in", {"v": "3"}, key="b", timestamp=100)
        assert first(d.read("out"), "a") == {"trace": b"8", **MARK}


@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
def test_a_pair_says_that_the_earlier_of_both_was_replayed(how):
    app = hf.App("held", tasks=1)
    joined(how)(app)
    with Driver(app) as d:
        d.pipe("in", {}, key="a", timestamp=1, headers={"trace": b"7"})
        (letter,) = d.dead_letters()
        d.replay(letter, {"v": "1"})
        d.crash()
        d.pipe("r", {"v": "2"}, key="a", timestamp=2, headers={"trace": b"8"})
        assert [(r.value, r.headers) for r in d.read("out")] == [("1+2", {"trace": b"8", **MARK})]


def test_the_joiner_sees_the_headers_of_the_unmatched_record():
    app = hf.App("held", tasks=1)
    left, right = app.stream("l", str, key=str), app.stream("r", str, key=str)
    left.left_join(right, lambda a, b: F.cast(hf.headers()["trace"], "string"), within="10 ms").to("out")
    with Driver(app) as d:
        d.pipe("l", "A", key="a", timestamp=1, headers={"trace": b"7"})
        d.pipe("r", "x", key="b", timestamp=100, headers={"trace": b"8"})
        assert [r.value for r in d.read("out")] == ["7"]


def test_what_time_alone_emits_has_headers_too():
    app = hf.App("held", tasks=1)
    stream = app.stream("in", str, key=str, close_on_idle="1 minute")
    stream.group_by_key().windowed_by(hf.tumbling("10 seconds", emit="final")).count(store="n").to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="a", timestamp=1_000, headers={"trace": b"7"})
        d.advance(minutes=5)
        assert [r.headers for r in d.read("out")] == [{"trace": b"7"}]
