"""A table joined with the entries of another that its own refer to."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, timed
from tests.driver.table_joins import SIZES, every, feed, last, outputs, stored


def text(left, right):
    return F.concat(
        left.text, F.lit("|"), F.coalesce(left.to, F.lit("-")), F.lit("+"), F.coalesce(right, F.lit("null"))
    )


def referring(how="join", emit="every", store=True, **options):
    app = hf.App("references", tasks=1)
    materialized = hf.Materialized("joined", emit=emit) if store else None
    left = app.table("left", "text STRING, to STRING", key=str, store=hf.Materialized("left", emit=emit))
    right = app.table("right", str, key=str, store=hf.Materialized("right", emit=emit))
    getattr(left, how)(right, text, on=lambda v: v.to, store=materialized, **options).to("out")
    return app


def entry(value):
    return None if value is None else dict(zip(("text", "to"), value.split("|"), strict=True))


def steps(*records):
    """Steps of (side and key, value), a millisecond apart; "a|r1" on the left refers to "r1"."""
    out = []
    for at, (key, value) in enumerate(records):
        left = key.startswith("l")
        out.append(("left" if left else "right", key, entry(value) if left else value, at))
    return out


RIGHT_FIRST = steps(
    ("r1", "R1"), ("r2", "R2"), ("r3", "R3"), ("l1", "A|r1"), ("l2", "B|r2"), ("l3", "C|r1"), ("l1", None)
)
LEFT_FIRST = steps(
    ("l1", "A|r1"), ("l2", "B|r2"), ("l3", "C|r1"), ("r1", "R1"), ("r2", "R2"), ("r3", "R3"), ("r1", None)
)


def test_from_the_left_then_delete_on_the_left():
    emitted = [("l1", "A|r1+R1", 3), ("l2", "B|r2+R2", 4), ("l3", "C|r1+R1", 5), ("l1", None, 6)]
    assert outputs(referring(), RIGHT_FIRST, "out") == outputs(referring("left_join"), RIGHT_FIRST, "out") == [emitted]


def test_from_the_right_then_delete_on_the_right():
    matches = [("l1", "A|r1+R1", 3), ("l3", "C|r1+R1", 3), ("l2", "B|r2+R2", 4)]
    assert outputs(referring(), LEFT_FIRST, "out") == [[*matches, ("l1", None, 6), ("l3", None, 6)]]
    alone = [("l1", "A|r1+null", 0), ("l2", "B|r2+null", 1), ("l3", "C|r1+null", 2)]
    ends = [("l1", "A|r1+null", 6), ("l3", "C|r1+null", 6)]
    assert outputs(referring("left_join"), LEFT_FIRST, "out") == [[*alone, *matches, *ends]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("emit", ["every", "latest"])
@pytest.mark.parametrize("how", ["join", "left_join"])
def test_the_table_is_the_same_whatever_the_batches(how, emit, size):
    ends = {"l2": "B|r2+R2"} if how == "join" else {"l1": "A|r1+null", "l2": "B|r2+R2", "l3": "C|r1+null"}
    assert stored(referring(how, emit), LEFT_FIRST, "joined", size=size) == [ends]
    ends = {"l2": "B|r2+R2", "l3": "C|r1+R1"}
    assert stored(referring(how, emit), RIGHT_FIRST, "joined", size=size) == [ends]


def test_deleting_an_entry_without_a_match():
    """It is emitted, since nobody at the left side knows that there was no match; deleting it again is not."""
    records = steps(("l1", "A|r1"), ("l1", None), ("l1", None))
    assert outputs(referring(), records, "out") == [[("l1", None, 1)]]
    assert outputs(referring("left_join"), records, "out") == [[("l1", "A|r1+null", 0), ("l1", None, 1)]]


@pytest.mark.parametrize("how", ["join", "left_join"])
def test_deleting_what_was_never_there(how):
    assert outputs(referring(how), steps(("l1", None), ("r1", None)), "out") == [[]]


def test_another_foreign_key():
    records = steps(
        ("r1", "R1"), ("r2", "R2"), ("l1", "A|r1"), ("l1", "A|r2"), ("l1", "A|r9"), ("r1", "S1"), ("r9", "R9")
    )
    assert outputs(referring(), records, "out") == [
        [("l1", "A|r1+R1", 2), ("l1", "A|r2+R2", 3), ("l1", None, 4), ("l1", "A|r9+R9", 6)]
    ]
    assert outputs(referring("left_join"), records, "out") == [
        [("l1", "A|r1+R1", 2), ("l1", "A|r2+R2", 3), ("l1", "A|r9+null", 4), ("l1", "A|r9+R9", 6)]
    ]


def test_the_same_foreign_key_again():
    """Without a match there is nothing to delete; what the right side deleted is not deleted again."""
    records = steps(("l1", "A|r1"), ("l1", "B|r1"), ("r1", "R"), ("l1", "C|r1"), ("r1", None), ("l1", "D|r1"))
    matches = [("l1", "B|r1+R", 2), ("l1", "C|r1+R", 3)]
    assert outputs(referring(), records, "out") == [[*matches, ("l1", None, 4)]]
    alone = [("l1", "A|r1+null", 0), ("l1", "B|r1+null", 1)]
    ends = [("l1", "C|r1+null", 4), ("l1", "D|r1+null", 5)]
    assert outputs(referring("left_join"), records, "out") == [[*alone, *matches, *ends]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("emit", ["every", "latest"])
def test_one_record_changes_an_entry_and_deletes_what_it_still_refers_to(emit, size):
    app = hf.App("references", tasks=1)
    people = app.table("people", "name STRING, boss BIGINT", key=int, store=hf.Materialized("people", emit=emit))
    there = people.filter(lambda p: p.name != "gone")
    store = hf.Materialized("joined", emit=emit)
    people.join(there, lambda p, b: F.concat(p.name, F.lit("<"), b.name), on="boss", store=store).to("out")
    records = [("people", 1, {"name": name, "boss": 1}, at) for at, name in enumerate(["Ann", "gone", "gone"])]
    assert stored(app, records, "joined", size=size) == [{}]
    assert outputs(app, records, "out") == [[(1, "Ann<Ann", 0), (1, None, 1)]]


def test_timestamps_are_the_later_of_both_or_that_of_the_change_on_the_right():
    records = [
        ("right", "r1", "R", 50),
        ("left", "l1", entry("A|r1"), 20),
        ("left", "l1", entry("B|r1"), 70),
        ("right", "r1", "S", 60),
        ("left", "l1", None, 30),
    ]
    emitted = [("l1", "A|r1+R", 50), ("l1", "B|r1+R", 70), ("l1", "B|r1+S", 60), ("l1", None, 60)]
    assert outputs(referring(), records, "out") == [emitted]


def null(text):
    return {"text": text, "to": None}


def test_a_null_foreign_key_in_a_left_join_refers_to_nothing():
    records = [
        ("left", "l1", null("A"), 0),
        ("left", "l1", entry("A|r1"), 1),
        ("right", "r1", "R", 2),
        ("left", "l1", null("B"), 3),
        ("right", "r1", "S", 4),
        ("left", "l1", None, 5),
    ]
    emitted = [
        ("l1", "A|-+null", 0),
        ("l1", "A|r1+null", 1),
        ("l1", "A|r1+R", 2),
        ("l1", "B|-+null", 3),
        ("l1", None, 5),
    ]
    assert outputs(referring("left_join"), records, "out") == [emitted]


def test_a_null_foreign_key_in_an_inner_join_has_no_match():
    """It is skipped and counted; one that becomes null is deleted, one that ceases to be null is joined."""
    with Driver(referring()) as d:
        feed(d, [("right", "r1", "R", 0), ("left", "l1", null("A"), 1), ("left", "l1", null("B"), 2)])
        assert (timed(d, "out"), d.dead_letters()) == ([], [])
        feed(d, [("left", "l1", entry("C|r1"), 3), ("left", "l1", null("D"), 4), ("right", "r1", "S", 5)])
        assert timed(d, "out") == [("l1", "C|r1+R", 3), ("l1", None, 4)]
        feed(d, [("left", "l1", None, 6)])
        assert timed(d, "out") == []


@pytest.mark.parametrize("size", SIZES)
def test_the_result_goes_on_as_a_table(size):
    """Joined by key with the table it came from, as a wide record is made."""
    app = hf.App("references")
    a = app.table("A", "n BIGINT, s STRING", key=int, store=every("a"))
    b = app.table("B", str, key=int, store=every("b"))
    found = a.join(b, lambda x, y: F.concat(x.s, F.lit("+"), y), on="n", store=every("found"))
    a.join(found, lambda x, f: F.concat(x.s, F.lit("/"), f), store=every("again")).to("out")
    records = [("A", 1, {"n": 999, "s": "alpha"}, 0), ("B", 999, "beta", 1), ("A", 2, {"n": 999, "s": "x"}, 2)]
    assert stored(app, records, "again", size=size) == [{1: "alpha/alpha+beta", 2: "x/x+beta"}]
    assert stored(app, [*records, ("A", 1, None, 3)], "again", size=size) == [{2: "x/x+beta"}]


def test_a_chain_of_foreign_keys():
    app = hf.App("references")
    orders = app.table("orders", "customer BIGINT", key=str, store=every("o"))
    customers = app.table("customers", "name STRING, city STRING", key=int, store=every("c"))
    cities = app.table("cities", "zone STRING", key=str, store=every("z"))
    orders.join(customers, on="customer").left_join(cities, on="city", store=every("all")).to("out")
    records = [
        ("orders", "o1", {"customer": 1}, 0),
        ("cities", "paris", {"zone": "CET"}, 1),
        ("customers", 1, {"name": "Ada", "city": "paris"}, 2),
        ("cities", "paris", {"zone": "UTC"}, 3),
        ("customers", 1, None, 4),
    ]
    for size in SIZES:
        with Driver(app) as d:
            feed(d, records, size)
            assert dict(d.store("all").all()) == {}
    zones = [v and v["zone"] for _, v, _ in outputs(app, records, "out")[0]]
    assert zones == ["CET", "UTC", None]


def test_a_table_that_refers_to_itself():
    app = hf.App("references")
    people = app.table("people", "name STRING, boss BIGINT", key=int, store=every("people"))
    people.left_join(people, lambda p, b: F.concat(p.name, F.lit("<"), F.coalesce(b.name, F.lit("-"))), on="boss",
                     store=every("bosses")).to("out")  # fmt: skip
    records = [
        ("people", 1, {"name": "Ann", "boss": None}, 0),
        ("people", 2, {"name": "Bob", "boss": 1}, 1),
        ("people", 1, {"name": "Anna", "boss": 1}, 2),
        ("people", 1, {"name": "Anne", "boss": 1}, 3),
        ("people", 1, None, 4),
    ]
    assert outputs(app, records, "out") == [
        [
            (1, "Ann<-", 0),
            (2, "Bob<Ann", 1),
            (2, "Bob<Anna", 2),
            (1, "Anna<Anna", 2),
            (2, "Bob<Anne", 3),
            # What would join the old Anna with the new Anne is out of date before it is emitted.
            (1, "Anne<Anne", 3),
            (2, "Bob<-", 4),
            (1, None, 4),
        ]
    ]
    for size in SIZES:
        assert stored(app, records, "bosses", size=size) == [{2: "Bob<-"}]


@pytest.mark.parametrize("size", SIZES)
def test_joins_of_views_and_aggregates(size):
    app = hf.App("references")
    players = app.table("players", "name STRING, team STRING", key=int, store="players")
    scores = app.stream("scores", "team STRING, n BIGINT").group_by("team").agg(n=F.sum("n"), store="teams")
    named = players.filter(lambda p: p.name != "").map_values(lambda p: dict(p, name=F.upper(p.name)))
    named.join(scores.filter(lambda s: s.n > 1), on="team", store="joined").to("out")
    records = [
        ("players", 1, {"name": "ada", "team": "x"}, 0),
        ("scores", None, {"team": "x", "n": 1}, 1),
        ("players", 2, {"name": "", "team": "x"}, 2),
        ("scores", None, {"team": "x", "n": 1}, 3),
        ("scores", None, {"team": "y", "n": 5}, 4),
        ("players", 3, {"name": "bob", "team": "x"}, 5),
        ("players", 1, {"name": "ada", "team": "y"}, 6),
    ]
    expected = {1: {"name": "ADA", "team": "y", "n": 5}, 3: {"name": "BOB", "team": "x", "n": 2}}
    assert stored(app, records, "joined", size=size) == [expected]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("how", ["join", "left_join"])
def test_a_global_table_that_changes(how, size):
    app = hf.App("references")
    orders = app.table("orders", "item STRING, n BIGINT", key=int, store="orders")
    items = app.global_table("items", "title STRING", key=str, store="items")
    getattr(orders, how)(items, on="item", store="named")
    app.stream("looks", "item STRING").join(items, lambda x, i: i.title, on="item").to("looked")
    records = [
        ("orders", 1, {"item": "p", "n": 1}, 0),
        ("items", "p", {"title": "Pen"}, 1),
        ("looks", None, {"item": "p"}, 2),
        ("items", "p", {"title": "Pencil"}, 3),
        ("orders", 2, {"item": "q", "n": 2}, 4),
        ("looks", None, {"item": "p"}, 5),
    ]
    named = {1: {"item": "p", "n": 1, "title": "Pencil"}}
    if how == "left_join":
        named[2] = {"item": "q", "n": 2, "title": None}
    with Driver(app) as d:
        feed(d, records, size)
        assert dict(d.store("named").all()) == named
        assert dict(d.store("items").all()) == {"p": {"title": "Pencil"}}
        assert [v for _, v in pairs(d, "looked")] == ["Pen", "Pencil"]


def test_subscriptions_survive_a_crash():
    with Driver(referring()) as d:
        feed(d, steps(("l1", "A|r1"), ("l2", "B|r1")))
        d.crash()
        feed(d, steps(("r1", "R")))
        assert pairs(d, "out") == [("l1", "A|r1+R"), ("l2", "B|r1+R")]


def test_very_many_entries_refer_to_one():
    many = 20_000
    app = referring(emit="latest")
    with Driver(app) as d:
        feed(d, [("left", f"l{i}", {"text": "x", "to": "r"}, 0) for i in range(many)], size=many)
        feed(d, [("right", "r", "R", 1)])
        updates = timed(d, "out")
        assert len(updates) == many
        assert set(last(updates).values()) == {("x|r+R", 1)}
        feed(d, [("left", "l7", None, 2), ("right", "r", None, 3)], size=2)
        assert len(timed(d, "out")) == many
        assert dict(d.store("joined").all()) == {}
