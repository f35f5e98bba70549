import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import pairs


def both(make, emit="every"):
    """A table from a topic, and what `make` makes of it, written to "out"."""
    app = hf.App("tables")
    make(app.table("in", int, key=str, store=hf.Materialized("base", emit=emit))).to("out")
    return app


def test_filter_deletes_what_stops_fitting():
    with Driver(both(lambda t: t.filter(lambda v: v > 1))) as d:
        for value in (1, 2, 3, 0, None, 5):
            d.pipe("in", value, key="a")
        # As Kafka Streams with a stored table: no tombstone for what was not shown.
        assert [v for _, v in pairs(d, "out")] == [2, 3, None, 5]


def test_a_filter_with_the_key():
    with Driver(both(lambda t: t.filter(lambda k, v: k == "b"))) as d:
        d.pipe("in", 1, key="a")
        d.pipe("in", 1, key="b")
        assert pairs(d, "out") == [("b", 1)]
