import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs, timed


def program(n=3, by="score", **options):
    app = hf.App("games")
    s = app.stream("in", "player STRING, score BIGINT", key=str)
    s.group_by_key().top(n, by=by, **{"store": "top", **options}).to("out")
    return app


def feed(driver, *scores, size=1):
    rows = [("g", {"player": player, "score": score}) for player, score in scores]
    for start in range(0, len(rows), size):
        in_one_batch(driver, "in", *rows[start : start + size])


def board(driver):
    return [(each["player"], each["score"]) for each in driver.store("top")["g"]]


@pytest.mark.parametrize("size", [1, 2, 10])
def test_the_highest_first_of_equal_ones_the_earlier_null_last(size):
    with Driver(program(4)) as d:
        feed(d, ("a", 1), ("n", None), ("b", 5), ("c", 5), ("m", None), ("d", 9), size=size)
        assert board(d) == [("d", 9), ("b", 5), ("c", 5), ("a", 1)]


def test_nulls_fill_what_is_free():
    with Driver(program(3)) as d:
        feed(d, ("n", None), ("m", None), ("a", 1))
        assert board(d) == [("a", 1), ("n", None), ("m", None)]
        feed(d, ("b", 0))
        assert board(d) == [("a", 1), ("b", 0), ("n", None)]


def test_fewer_than_n():
    with Driver(program(100)) as d:
        feed(d, ("a", 1), ("b", 2))
        assert board(d) == [("b", 2), ("a", 1)]


@pytest.mark.parametrize("size", [1, 10])
def test_distinct_keeps_the_best_of_each(size):
    with Driver(program(2, distinct="player")) as d:
        feed(d, ("a", 1), ("b", 3), ("a", 5), ("a", 4), ("b", 3), ("a", 5), size=size)
        assert board(d) == [("a", 5), ("b", 3)]
        feed(d, ("c", 4), size=size)
        assert board(d) == [("a", 5), ("c", 4)]


@pytest.mark.parametrize("kind", ["BINARY", "STRUCT<a: BIGINT>", "ARRAY<STRING>", "DOUBLE"])
def test_distinct_by_values_of_any_type(kind):
    one = {"BINARY": "AQI=", "STRUCT<a: BIGINT>": {"a": 1}, "ARRAY<STRING>": ["x"], "DOUBLE": 0.5}[kind]
    app = hf.App("games")
    app.stream("in", f"who {kind}, score BIGINT", key=str).group_by_key().top(
        3, by="score", distinct="who", store="top"
    )
    with Driver(app) as d:
        in_one_batch(d, "in", ("g", {"who": one, "score": 1}), ("g", {"who": one, "score": 2}))
        d.pipe("in", {"who": one, "score": 3}, key="g")
        d.pipe("in", {"who": None, "score": 0}, key="g")
        d.pipe("in", {"who": None, "score": 1}, key="g")
        assert [each["score"] for each in d.store("top")["g"]] == [3, 1]


def test_it_tells_of_every_record_even_if_the_board_is_the_same():
    with Driver(program(1, store=hf.Materialized("top", emit="every"))) as d:
        d.pipe("in", {"player": "a", "score": 5}, key="g", timestamp=10)
        d.pipe("in", {"player": "b", "score": 1}, key="g", timestamp=30)
        assert [(len(v), v[0]["player"], at) for _, v, at in timed(d, "out")] == [(1, "a", 10), (1, "a", 30)]


def test_by_an_expression_and_over_scalars():
    app = hf.App("games")
    app.stream("in", str, key=str).group_by_key().top(2, by=lambda v: F.length(v), store="long").to("out")
    with Driver(app) as d:
        for word in ("aa", "b", "cccc"):
            d.pipe("in", word, key="g")
        assert pairs(d, "out")[-1] == ("g", ["cccc", "aa"])


def test_what_has_no_order_is_refused():
    app = hf.App("games")
    app.stream("in", "m MAP<STRING, BIGINT>", key=str).group_by_key().top(1, by="m", store="t")
    with pytest.raises(HoldfastError, match="by= must be something with an order"):
        Driver(app)


def test_a_rank_that_fails_is_a_dead_letter():
    with Driver(program(3, by=lambda v: 10 / v.score)) as d:
        feed(d, ("a", 1), ("zero", 0), ("b", 5), size=3)
        assert board(d) == [("a", 1), ("b", 5)]
        ((node, reason),) = letters(d)
        assert node == "top:top"
        assert "DIVIDE_BY_ZERO" in reason
