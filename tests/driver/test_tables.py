"""Tables of topics."""

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import pairs, timed


def both(make, emit="every"):
    """A table from a topic, and what `make` makes of it, written to "out"."""
    app = hf.App("tables")
    make(app.table("in", int, key=str, store=hf.Materialized("base", emit=emit))).to("out")
    return app


def test_the_last_offset_wins_and_null_deletes():
    with Driver(both(lambda t: t)) as d:
        for value, at in [(1, 50), (2, 20), (None, 10), (None, 60), (3, 70)]:
            d.pipe("in", value, key="a", timestamp=at)
        assert timed(d, "out") == [("a", 1, 50), ("a", 2, 20), ("a", None, 10), ("a", None, 60), ("a", 3, 70)]
        assert dict(d.store("base").all()) == {"a": 3}


def test_latest_does_not_tell_of_deleting_what_was_not_there():
    with Driver(both(lambda t: t, emit="latest")) as d:
        for value in (None, 1, None, None):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 1), ("a", None)]


def test_a_global_table_with_a_store():
    app = hf.App("globe")
    app.global_table("names", str, key=str, store="names")
    with Driver(app) as d:
        d.pipe("names", "Ada", key="a")
        d.pipe("names", "Bob", key="b")
        d.pipe("names", None, key="b")
        assert dict(d.store("names").all()) == {"a": "Ada"}
