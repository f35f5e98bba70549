"""Two tables joined by their keys: what is emitted when either side changes."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, timed, values
from tests.driver.table_joins import SIZES, both, every, feed, last, outputs, stored, words

OLD_AND_NEW = [
    ("left", 0, "X0", 5),
    ("left", 1, "X1", 6),
    ("right", 0, "Y0", 0),
    ("right", 1, "Y1", 10),
    *(("left", key, f"XX{key}", 7) for key in range(4)),
    *(("right", key, f"YY{key}", 5 * key) for key in range(4)),
    *(("left", key, f"XXX{key}", 6) for key in range(4)),
    ("right", 0, None, 5),
    ("right", 1, None, 7),
    *(("left", key, f"XXXX{key}", 13) for key in range(4)),
    ("left", 0, None, 0),
    ("left", 1, None, 42),
    ("left", 2, None, 5),
    ("left", 3, None, 20),
]


def alive(entries):
    return {key: entry for key, entry in entries.items() if entry[0] is not None}


def joined(**options):
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.join(right, both, **options).to("out")
    return app


@pytest.mark.parametrize("options", [{}, {"store": every("joined")}], ids=["view", "kept"])
def test_either_side_tells_if_the_other_is_there(options):
    assert outputs(joined(**options), OLD_AND_NEW, "out") == [
        [
            (0, "X0+Y0", 5),
            (1, "X1+Y1", 10),
            (0, "XX0+Y0", 7),
            (1, "XX1+Y1", 10),
            (0, "XX0+YY0", 7),
            (1, "XX1+YY1", 7),
            (2, "XX2+YY2", 10),
            (3, "XX3+YY3", 15),
            (0, "XXX0+YY0", 6),
            (1, "XXX1+YY1", 6),
            (2, "XXX2+YY2", 10),
            (3, "XXX3+YY3", 15),
            (0, None, 6),
            (1, None, 7),
            (2, "XXXX2+YY2", 13),
            (3, "XXXX3+YY3", 15),
            (2, None, 10),
            (3, None, 20),
        ]
    ]


def test_deleting_what_was_not_there_is_told_if_the_other_side_is():
    steps = [("right", 1, "Y", 1), ("left", 1, None, 2), ("left", 2, None, 3)]
    assert outputs(joined(), steps, "out") == [[(1, None, 2)]]


def test_a_null_of_the_joiner_deletes():
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.join(right, lambda x, y: F.when(x != y, F.concat(x, y)), store=every("joined")).to("out")
    steps = [("left", 1, "a", 1), ("right", 1, "b", 2), ("right", 1, "a", 3)]
    assert outputs(app, steps, "out") == [[(1, "ab", 2), (1, None, 3)]]
    assert stored(app, steps, "joined") == [{}]


def test_null_keys_are_dead_letters_of_the_tables():
    with Driver(joined()) as d:
        d.pipe("left", "x", timestamp=1)
        d.pipe("right", "y", timestamp=1)
        assert [reason for _, reason in letters(d)] == ["the key is null; a table has no place for it"] * 2


@pytest.mark.parametrize("size", SIZES)
def test_the_last_update_of_a_batch_is_what_single_records_end_with(size):
    steps = [(topic, key, value, at) for at, (topic, key, value, _) in enumerate(OLD_AND_NEW[:-2])]
    app = hf.App("tables")
    left, right = words(app, "left", "right", emit="latest")
    left.join(right, both).to("view")
    left.join(right, both, store="joined").to("kept")
    [singly] = outputs(joined(), steps, "out")
    for topic in ("view", "kept"):
        [updates] = outputs(app, steps, topic, size=size)
        assert alive(last(updates)) == alive(last(singly)) == {2: ("XXXX2+YY2", 20), 3: ("XXXX3+YY3", 21)}
        assert len(updates) <= len(singly)
    assert stored(app, steps, "joined", size=size) == [{2: "XXXX2+YY2", 3: "XXXX3+YY3"}]


def test_a_key_that_goes_in_the_same_batch_as_the_other_side_comes_back_is_deleted():
    """What is read is every change, in order; the first and the last alone would not show the delete."""
    app = hf.App("tables")
    left, right = words(app, "left", "right", emit="latest")
    left.join(right, both).to("out")
    with Driver(app) as d:
        feed(d, [("left", 1, "x", 1), ("right", 1, "y", 2)], size=2)
        feed(d, [("left", 1, None, 3), ("right", 1, None, 4), ("left", 1, "xx", 5)], size=3)
        assert pairs(d, "out") == [(1, "x+y"), (1, None)]


def test_a_stream_reads_the_join_as_of_its_own_place():
    app = hf.App("tables")
    left, right = words(app, "left", "right", emit="latest")
    view = left.join(right, both)
    app.stream("in", str, key=int).left_join(view, lambda s, v: F.concat(s, F.lit(":"), F.coalesce(v, F.lit("-")))).to(
        "out"
    )
    steps = [
        ("in", 1, "a", 0),
        ("left", 1, "x", 1),
        ("in", 1, "b", 2),
        ("right", 1, "y", 3),
        ("in", 1, "c", 4),
        ("left", 1, "xx", 5),
        ("in", 1, "d", 6),
        ("right", 1, None, 7),
        ("in", 1, "e", 8),
    ]
    expected = ["a:-", "b:-", "c:x+y", "d:xx+y", "e:-"]
    for size in SIZES:
        with Driver(app) as d:
            feed(d, steps, size)
            assert values(d, "out") == expected


@pytest.mark.parametrize("size", SIZES)
def test_chains_and_views_in_between(size):
    app = hf.App("tables")
    a, b, c = words(app, "a", "b", "c", emit="latest")
    loud = a.join(b, both).map_values(lambda v: F.upper(v)).filter(lambda v: v != "NO+NO")
    loud.join(c, both, store="all").to("out")
    loud.to("loud")
    steps = [
        ("a", 1, "x", 1),
        ("b", 1, "y", 2),
        ("c", 1, "z", 3),
        ("a", 1, "no", 4),
        ("b", 1, "no", 5),
        ("a", 2, "p", 6),
        ("b", 2, "q", 7),
        ("c", 2, "r", 8),
        ("c", 1, "zz", 9),
    ]
    assert stored(app, steps, "all", size=size) == [{2: "P+Q+r"}]
    loud_outputs, out = outputs(app, steps, "loud", "out", size=size)
    assert last(loud_outputs).get(1, (None, 5))[0] is None
    assert last(loud_outputs)[2] == ("P+Q", 7)
    assert last(out)[2] == ("P+Q+r", 8)


def test_a_filter_above_the_join_knows_what_was_shown_before():
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.join(right, both).filter(lambda v: v != "x+y").to("out")
    steps = [("left", 1, "x", 1), ("right", 1, "y", 2), ("right", 1, "z", 3), ("right", 1, "y", 4), ("left", 1, "x", 5)]
    assert outputs(app, steps, "out") == [[(1, "x+z", 3), (1, None, 4)]]


def test_aggregates_of_later_stages_meet_a_table():
    app = hf.App("tables")
    names = app.table("names", str, key=str, store=every("names"))
    counts = app.stream("clicks", "user STRING").group_by("user").count(store=every("counts"))
    names.join(counts, lambda name, n: F.concat(name, F.cast(n, "string")), store=every("named")).to("out")
    counts.left_join(names, lambda n, name: F.coalesce(name, F.lit("?"))).to("left")
    with Driver(app) as d:
        d.pipe("clicks", {"user": "a"}, timestamp=1)
        d.pipe("names", "Ada", key="a", timestamp=2)
        d.pipe("clicks", {"user": "a"}, timestamp=3)
        d.pipe("names", None, key="a", timestamp=4)
        assert timed(d, "out") == [("a", "Ada1", 2), ("a", "Ada2", 3), ("a", None, 4)]
        assert timed(d, "left") == [("a", "?", 1), ("a", "Ada", 2), ("a", "Ada", 3), ("a", "?", 4)]


@pytest.mark.parametrize("emit", ["latest", "every"])
def test_a_join_in_a_later_stage_tells_as_much_as_its_tables(emit):
    app = hf.App("tables")
    names = app.table("names", str, key=str, store=hf.Materialized("names", emit=emit))
    names.to("copies")
    counts = app.stream("clicks", "user STRING").group_by("user").count(store=hf.Materialized("counts", emit=emit))
    names.left_join(counts, lambda name, n: F.concat(name, F.coalesce(F.cast(n, "string"), F.lit("-")))).to("out")
    steps = [("names", "a", "Ada", 1), ("clicks", None, {"user": "a"}, 2), ("names", "a", "Adi", 3)]
    updates = [("a", "Ada-", 1), ("a", "Ada1", 2), ("a", "Adi1", 3)]
    assert outputs(app, steps, "out", size=3) == [updates if emit == "every" else updates[-1:]]


@pytest.mark.parametrize("options", [{}, {"store": every("joined")}], ids=["view", "kept"])
def test_a_table_joined_with_itself(options):
    app = hf.App("tables")
    [table] = words(app, "in")
    table.join(table, both, **options).to("out")
    steps = [("in", 1, "x", 1), ("in", 1, "y", 2), ("in", 1, None, 3)]
    one_by_one = [(1, "x+x", 1), (1, "x+x", 1), (1, "y+y", 2), (1, "y+y", 2), (1, None, 3)]
    for size in SIZES:
        assert outputs(app, steps, "out", size=size) == [one_by_one]


def test_a_failing_joiner_is_a_dead_letter_of_the_record_behind_it():
    app = hf.App("tables")
    left, right = (app.table(t, int, key=int, store=every(t)) for t in ("left", "right"))
    view = left.join(right, lambda x, y: x / y)
    view.to("view")
    left.join(right, lambda x, y: x / y, store=every("kept")).to("kept")
    app.stream("in", str, key=int).join(view, lambda s, v: v).to("read")
    with Driver(app) as d:
        feed(d, [("left", 1, 6, 1), ("right", 1, 0, 2), ("in", 1, "a", 3), ("right", 1, 2, 4), ("in", 1, "b", 5)])
        assert pairs(d, "view") == pairs(d, "kept") == [(1, 3.0)]
        assert pairs(d, "read") == [(1, 3.0)]
        found = [node for node, _ in letters(d)]
        assert sorted(found) == ["join-1", "table_join-1", "table_join:kept"]


def test_what_is_kept_survives_a_crash():
    app = joined(store=every("joined"))
    with Driver(app) as d:
        feed(d, [("left", 1, "x", 1), ("right", 1, "y", 2)])
        d.crash()
        feed(d, [("left", 1, None, 3)])
        assert timed(d, "out") == [(1, "x+y", 2), (1, None, 3)]


def test_the_metadata_of_a_record_needs_a_store():
    app = hf.App("tables")
    left, right = words(app, "left", "right")
    left.join(right, lambda x, y: hf.timestamp()).to("out")
    with pytest.raises(hf.HoldfastError, match=r"computed again whenever it is read.*join\(\.\.\., store=\.\.\.\)"):
        Driver(app).__enter__()


@pytest.mark.parametrize("size", SIZES)
def test_a_global_table_by_key_tells_of_its_own_changes(size):
    app = hf.App("tables")
    [left] = words(app, "left", emit="latest")
    titles = app.global_table("titles", str, key=int)
    left.join(titles, both, store="joined").to("out")
    steps = [
        ("left", 1, "x", 1),
        ("titles", 1, "t", 2),
        ("titles", 2, "u", 3),
        ("left", 2, "y", 4),
        ("titles", 1, None, 5),
    ]
    assert stored(app, steps, "joined", size=size) == [{2: "y+u"}]
