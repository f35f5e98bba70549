"""States made of a table's rows: refused where they would miss some of them, or retract what was never added."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import StateMismatch
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import accepted_changes, state_stages
from holdfast.topology.graph import Topology

Part = Callable[[hf.App, hf.Table, hf.Table, hf.Stream], None]


def program(*parts: Part) -> Topology:
    """Tables, a stream and two stages that are there before and after; then the parts."""
    app = hf.App("shop")
    people = app.table("people", "city STRING, age BIGINT", key=int, store="people")
    cities = app.table("cities", "land STRING", key=str)
    visits = app.stream("visits", "city STRING", key=int)
    visits.group_by("city").count(store="by-city").to_stream().group_by(lambda n: n).count(store="by-count")
    for part in parts:
        part(app, people, cities, visits)
    return app.topology


def change(old: Topology, new: Topology) -> list[str]:
    before = plan(old)
    return accepted_changes(before, plan(new, recorded=state_stages(before)), None, None)


def refused(old: Topology, new: Topology) -> str:
    with pytest.raises(StateMismatch) as error:
        change(old, new)
    return str(error.value)


def inhabitants(store="inhabitants", minimum=0, by="city") -> Part:
    def part(app, people, cities, visits):
        people.filter(lambda p: p.age > minimum).group_by(by).count(store=store).to("inhabitants")

    return part


def oldest(subtract: bool = False, weight: int = 1) -> Part:
    def part(app, people, cities, visits):
        undo = (lambda s, p: s - p.age * weight) if subtract else None
        people.group_by("city").aggregate(0, lambda s, p: s + p.age * weight, subtract=undo, store="ages")

    return part


def test_a_new_aggregate_of_a_table_is_refused_with_its_name_and_the_tables():
    message = refused(program(), program(inhabitants()))
    assert "store 'inhabitants' is new (test_table_rows.py:" in message
    assert "over table people, whose rows so far would be missing in it, and it would retract them all the" in message
    assert "starts empty" not in message
    assert "give the app a new name" in message


def test_a_renamed_aggregate_of_a_table_is_refused():
    assert "store 'others' is new" in refused(program(inhabitants()), program(inhabitants("others")))
    assert "the state of count-3 is new" in refused(program(inhabitants()), program(inhabitants(None)))


def test_the_same_aggregate_of_a_table_fits():
    assert change(program(inhabitants(), oldest()), program(inhabitants(), oldest())) == []


NEW = {
    "aggregate": lambda a, p, c, v: p.group_by("city").agg(store="new", total=F.sum("age")),
    "reduce": lambda a, p, c, v: p.group_by("city").reduce(lambda x, y: y, store="new"),
    "top": lambda a, p, c, v: p.group_by("city").top(2, by="age", store="new"),
    "aggregate of a view": lambda a, p, c, v: p.map_values(lambda x: x.age).group_by(lambda n: n).count(store="new"),
    "kept view": lambda a, p, c, v: p.map_values(lambda x: x.age, store="new"),
    "kept join": lambda a, p, c, v: p.join(p.map_values(lambda x: x.age), lambda x, y: y, store="new"),
    "join by a foreign key": lambda a, p, c, v: p.join(c, on="city", store="new"),
    "suppress": lambda a, p, c, v: p.suppress(hf.until_time("1 s")).to("calm"),
    "filter in python": lambda a, p, c, v: p.filter(hf.python(lambda x: True, returns=bool)).to("some"),
    "map in python": lambda a, p, c, v: p.map_values(hf.python(lambda x: 1, returns=int), store="new"),
}


@pytest.mark.parametrize("part", NEW.values(), ids=NEW.keys())
def test_every_new_state_of_a_tables_rows_is_refused(part):
    assert "over table people, whose" in refused(program(), program(part)) or "rows of table people so far" in refused(
        program(), program(part)
    )


def test_a_new_join_by_a_foreign_key_is_named_once():
    """Its result would miss rows, too, but only because the lookup below it does."""
    message = refused(program(), program(NEW["join by a foreign key"]))
    assert "fk_join:new is new" in message
    assert "what the rows of table people so far refer to is missing" in message
    assert "whose rows so far would be missing" not in message


def test_a_join_by_a_foreign_key_misses_only_rows_of_its_left_table():
    old = NEW["join by a foreign key"]
    lines = change(
        program(old), program(old, lambda a, p, c, v: v.to_table(store="t").join(c, on="city", store="other"))
    )
    assert [line.partition(" is new")[0] for line in lines] == [
        "store 't'", "the state of fk_join:other.lookup", "store 'other'"
    ]  # fmt: skip


FINE = {
    "count": lambda a, p, c, v: v.group_by("city").count(store="new"),
    "count of changes": lambda a, p, c, v: p.to_stream().group_by_key().count(store="new"),
    "table of a stream": lambda a, p, c, v: v.to_table(store="new"),
    "windows": lambda a, p, c, v: v.group_by_key().windowed_by(hf.tumbling("1 s")).count(store="new"),
    "deduplicate": lambda a, p, c, v: v.deduplicate("city", within="1 s").to("once"),
    "join of a stream": lambda a, p, c, v: v.join(p, lambda x, y: y).group_by_key().count(store="new"),
    "inner join with a new table": lambda a, p, c, v: v.to_table(store="t").join(p, lambda x, y: y, store="new"),
    "left join of a new table": lambda a, p, c, v: v.to_table(store="t").left_join(p, lambda x, y: x, store="new"),
    "aggregate of a new table": lambda a, p, c, v: v.to_table(store="t").group_by("city").count(store="new"),
}


@pytest.mark.parametrize("part", FINE.values(), ids=FINE.keys())
def test_what_begins_with_the_next_record_may_be_new(part):
    lines = change(program(), program(part))
    assert lines
    assert all("is new" in line and "it starts empty" in line for line in lines)


@pytest.mark.parametrize(
    "part",
    [
        lambda a, p, c, v: p.left_join(v.to_table(store="t"), lambda x, y: x, store="new"),
        lambda a, p, c, v: v.to_table(store="t").outer_join(p, lambda x, y: y, store="new"),
    ],
)
def test_a_kept_join_that_has_the_rows_of_one_side_is_refused(part):
    assert "store 'new' is new" in refused(program(), program(part))


def test_another_name_for_a_table_of_a_topic_is_refused():
    def app(name, method="table"):
        shop = hf.App("shop")
        getattr(shop, method)("people", "city STRING", key=int, store=name)
        shop.stream("visits", "city STRING", key=int).group_by_key().count(store="n")
        return shop.topology

    assert "the rows of table people so far lie in store 'people'" in refused(app("people"), app("folk"))
    assert "the rows of table people so far lie in store 'people'" in refused(app("people"), app(None))
    assert "store 'people' is new" in refused(app(None), app("people"))
    assert "so far lie in store 'x'" in refused(app("x", "global_table"), app("y", "global_table"))


def test_another_filter_below_an_aggregate_of_a_table_is_refused():
    message = refused(program(inhabitants()), program(inhabitants(minimum=18)))
    assert "store 'inhabitants': it is made of the rows of table people in another way" in message
    assert "those so far went into it in the old way" in message


def test_another_key_of_the_groups_of_a_table_is_refused():
    assert "in another way" in refused(program(inhabitants()), program(inhabitants(by=lambda p: F.upper(p.city))))


@pytest.mark.parametrize("subtract", [False, True])
def test_another_fold_of_a_tables_rows_is_refused(subtract):
    assert "store 'ages': it is made of" in refused(program(oldest(subtract)), program(oldest(subtract, weight=2)))


@pytest.mark.parametrize(
    "part",
    [
        lambda n: lambda a, p, c, v: p.map_values(lambda x: x.age + n, store="kept"),
        lambda n: lambda a, p, c, v: p.join(p, lambda x, y: x.age + n, store="kept"),
        lambda n: lambda a, p, c, v: p.join(c, lambda x, y: x.age + n, on="city", store="kept"),
    ],
)
def test_another_value_of_a_materialized_view_of_a_table_is_refused(part):
    assert "store 'kept': it is made of the rows of table people" in refused(program(part(1)), program(part(2)))


def test_another_value_of_a_join_by_a_foreign_key_is_named_once():
    """What the lookup below the result remembers does not change."""

    def part(n):
        return lambda a, p, c, v: p.join(c, lambda x, y: x.age + n, on="city", store="kept")

    message = refused(program(part(1)), program(part(2)))
    assert message.count("in another way") == 1


def test_a_table_that_starts_empty_under_an_aggregate_that_does_not_is_refused():
    def part(table):
        return lambda a, p, c, v: v.to_table(store=table).group_by("city").count(store="rows")

    message = refused(program(part("old")), program(part("new")))
    assert "store 'rows': was made of store 'old', is made of store 'new'" in message


def test_the_same_under_an_aggregate_without_a_name_is_refused():
    def part(table):
        return lambda a, p, c, v: v.to_table(store=table).group_by("city").count().to("n")

    message = refused(program(part("old")), program(part("new")))
    assert "the state of count-3: was made of store 'old', is made of store 'new'" in message


def test_a_named_table_of_a_stream_may_be_made_of_something_else_below_an_aggregate():
    def part(city):
        return lambda a, p, c, v: (
            v.filter(lambda x: x.city != city).to_table(store="t").group_by("city").count(store="rows")
        )

    assert change(program(part("a")), program(part("b"))) == []


def test_what_an_output_shows_of_a_table_may_change():
    def part(n):
        return lambda a, p, c, v: p.filter(lambda x: x.age > n).to("adults")

    assert change(program(part(18)), program(part(21))) == []


def test_a_python_function_may_move_in_its_file():
    def one(app, people, cities, visits):
        people.map_values(hf.python(lambda p: 1, returns=int), store="ones").group_by(lambda n: n).count(store="n")

    def moved(app, people, cities, visits):
        people.map_values(hf.python(lambda p: 1, returns=int), store="ones").group_by(lambda n: n).count(store="n")

    assert change(program(one), program(moved)) == []


def test_versions_cannot_begin_or_end():
    def part(**options):
        return lambda a, p, c, v: v.to_table(store=hf.Materialized("t", **options))

    for old, new in ((part(), part(versioned="1 s")), (part(versioned="1 s"), part())):
        assert "store 't': what to_table stores has changed" in refused(program(old), program(new))
    assert change(program(part(versioned="1 s")), program(part(versioned="2 s"))) == []
