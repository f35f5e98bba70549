import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, timed


def program(how="join", with_="table", joiner=lambda v, n: dict(v=v, n=n), **options):
    app = hf.App("names")
    names = getattr(app, with_)("names", str, key=str)
    if with_ == "global_table":
        options.setdefault("on", lambda k, v: k)
    getattr(app.stream("in", str, key=str), how)(names, joiner, **options).to("out")
    return app


@pytest.fixture(params=["table", "global_table"])
def table(request):
    return request.param


def test_inner_join_drops_what_has_no_match(table):
    with Driver(program(with_=table)) as d:
        d.pipe("in", "before", key="a")
        d.pipe("names", "Ada", key="a")
        d.pipe("in", "with", key="a")
        d.pipe("in", "other", key="b")
        d.pipe("names", None, key="a")
        d.pipe("in", "deleted", key="a")
        assert pairs(d, "out") == [("a", {"v": "with", "n": "Ada"})]
        assert letters(d) == []


def test_a_null_value_is_skipped_by_every_join(table):
    for how in ("join", "left_join"):
        with Driver(program(how, table)) as d:
            d.pipe("names", "Ada", key="a")
            d.pipe("in", None, key="a")
            d.pipe("in", None, key=None)
            assert pairs(d, "out") == []
            assert letters(d) == []


def test_a_null_key(table):
    with Driver(program("left_join", table)) as d:
        d.pipe("in", "x")
        assert pairs(d, "out") == [(None, {"v": "x", "n": None})]
    with Driver(program("join", table)) as d:
        d.pipe("in", "x")
        assert pairs(d, "out") == []
        ((node, reason),) = letters(d)
        assert node == "join-1"
        assert "null" in reason


def test_a_null_key_with_a_join_key_of_its_own_joins():
    with Driver(program(with_="global_table", on=lambda v: v)) as d:
        d.pipe("names", "Ada", key="a")
        d.pipe("in", "a")
        assert pairs(d, "out") == [(None, {"v": "a", "n": "Ada"})]


def test_each_record_sees_the_table_as_of_its_place_in_the_batch(table):
    def feed(driver):
        driver.pipe("in", "before", key="a", timestamp=1)
        driver.pipe("names", "one", key="a", timestamp=2)
        driver.pipe("in", "between", key="a", timestamp=3)
        driver.pipe("names", "two", key="a", timestamp=4)
        driver.pipe("in", "after", key="a", timestamp=5)
        driver.pipe("names", None, key="a", timestamp=6)
        driver.pipe("in", "deleted", key="a", timestamp=7)

    app = program("left_join", table)
    with Driver(app) as d:
        with d.batch():
            feed(d)
        together = timed(d, "out")
    with Driver(app) as d:
        feed(d)
        assert timed(d, "out") == together
    assert [(v["v"], v["n"], at) for _, v, at in together] == [
        ("before", None, 1),
        ("between", "one", 3),
        ("after", "two", 5),
        ("deleted", None, 7),
    ]


def test_at_the_same_time_the_table_comes_first(table):
    with Driver(program(with_=table)) as d:
        with d.batch():
            d.pipe("in", "x", key="a", timestamp=5)
            d.pipe("names", "Ada", key="a", timestamp=5)
        assert pairs(d, "out") == [("a", {"v": "x", "n": "Ada"})]


def test_the_output_has_the_time_of_the_stream_and_the_last_offset_wins(table):
    with Driver(program(with_=table)) as d:
        d.pipe("names", "newer", key="a", timestamp=900)
        d.pipe("names", "older", key="a", timestamp=100)
        d.pipe("in", "x", key="a", timestamp=50)
        assert timed(d, "out") == [("a", {"v": "x", "n": "older"}, 50)]


def test_the_joiner_may_be_omitted():
    app = hf.App("both")
    people = app.table("people", "name STRING", key=str)
    app.stream("in", "n BIGINT", key=str).left_join(people).to("out")
    with Driver(app) as d:
        d.pipe("people", {"name": "Ada"}, key="a")
        d.pipe("in", {"n": 1}, key="a")
        d.pipe("in", {"n": 2}, key="b")
        assert pairs(d, "out") == [("a", {"n": 1, "name": "Ada"}), ("b", {"n": 2, "name": None})]


def test_a_name_on_both_sides_needs_a_joiner():
    app = hf.App("both")
    with pytest.raises(HoldfastError, match="both sides"):
        app.stream("in", "n BIGINT", key=str).join(app.table("t", "n BIGINT", key=str))


def test_a_joiner_with_the_key_and_one_that_gives_null():
    with Driver(program(joiner=lambda k, v, n: F.when(v != "none", F.concat(k, v, n)))) as d:
        d.pipe("names", "Ada", key="a")
        d.pipe("in", "-", key="a")
        d.pipe("in", "none", key="a")
        assert pairs(d, "out") == [("a", "a-Ada"), ("a", None)]


def test_a_table_of_the_stream_itself():
    app = hf.App("own")
    s = app.stream("in", int, key=str)
    sums = s.group_by_key().reduce(lambda a, b: a + b)
    s.join(sums, lambda v, total: dict(v=v, total=total)).to("out")
    with Driver(app) as d:
        with d.batch():
            for n in (1, 2, 3):
                d.pipe("in", n, key="a")
        assert [(v["v"], v["total"]) for _, v in pairs(d, "out")] == [(1, 1), (2, 3), (3, 6)]


@pytest.mark.parametrize("together", [False, True])
def test_what_a_record_sees_of_its_own_effect_is_decided_by_the_order_of_the_program(together):
    app = hf.App("own")
    s = app.stream("in", int, key=str)
    grouped = s.group_by_key()
    early = s.map_values(lambda v: v * 10)
    counts = grouped.count()
    late = s.map_values(lambda v: v * 100)
    early.left_join(counts, lambda v, n: dict(v=v, n=n)).to("early")
    late.left_join(counts, lambda v, n: dict(v=v, n=n)).to("late")
    with Driver(app) as d:
        if together:
            in_one_batch(d, "in", ("a", 1), ("a", 2))
        else:
            d.pipe("in", 1, key="a")
            d.pipe("in", 2, key="a")
        assert [v["n"] for _, v in pairs(d, "early")] == [None, 1]
        assert [v["n"] for _, v in pairs(d, "late")] == [1, 2]


def test_a_join_after_a_change_of_key_sees_a_table_made_in_an_earlier_stage():
    def feed(d):
        for key, value in [("u", "a"), ("v", "a"), ("u", "b"), ("w", "a")]:
            d.pipe("in", value, key=key)

    app = hf.App("later")
    s = app.stream("in", str, key=str)
    counts = s.group_by(lambda v: v).count()
    s.group_by_key().count().to_stream().select_key(lambda n: F.cast(n, "string"))
    s.select_key(lambda v: v).join(counts.map_values(lambda n: n * 10), lambda v, n: n).to("out")
    with Driver(app) as d:
        with d.batch():
            feed(d)
        together = sorted(pairs(d, "out"))
    with Driver(app) as d:
        feed(d)
        assert sorted(pairs(d, "out")) == together == [("a", 10), ("a", 20), ("a", 30), ("b", 10)]


def test_one_table_in_two_joins_of_two_stages():
    app = hf.App("twice")
    names = app.table("names", str, key=str)
    first = app.stream("in", "a STRING, b STRING").select_key("a").join(names, lambda v, n: dict(v, a_name=n))
    first.select_key("b").join(names, lambda v, n: dict(v, b_name=n)).to("out")
    with Driver(app) as d:
        with d.batch():
            d.pipe("names", "Ada", key="x", timestamp=1)
            d.pipe("names", "Bob", key="y", timestamp=1)
            d.pipe("in", {"a": "x", "b": "y"}, timestamp=2)
            d.pipe("names", "Bea", key="y", timestamp=3)
        assert pairs(d, "out") == [("y", {"a": "x", "b": "y", "a_name": "Ada", "b_name": "Bob"})]
        d.pipe("in", {"a": "y", "b": "y"}, timestamp=4)
        assert [v["b_name"] for _, v in pairs(d, "out")] == ["Bea"]


def test_record_keys_join_whatever_their_defaults():
    app = hf.App("records")
    t = app.table("t", str, key="a BIGINT NOT NULL, b STRING")
    app.stream("in", "a BIGINT, b STRING").select_key("a", "b").join(t, lambda v, n: n).to("out")
    with Driver(app) as d:
        d.pipe("t", "found", key={"a": 1, "b": "x"})
        d.pipe("in", {"a": 1, "b": "x"})
        assert pairs(d, "out") == [({"a": 1, "b": "x"}, "found")]


def test_a_null_key_of_a_table_is_a_dead_letter(table):
    with Driver(program(with_=table)) as d:
        with d.batch():
            d.pipe("names", "Nobody")
            d.pipe("names", "Ada", key="a")
        d.pipe("in", "x", key="a")
        assert len(pairs(d, "out")) == 1
        assert letters(d) == [("names", "the key is null; a table has no place for it")]
