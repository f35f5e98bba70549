import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import HoldfastError
from holdfast.testing import Driver
from tests.driver.helpers import pairs, timed


def both(make, emit="every"):
    """A table from a topic, and what `make` makes of it, written to "out"."""
    app = hf.App("tables")
    make(app.table("in", int, key=str, store=hf.Materialized("base", emit=emit))).to("out")
    return app


@pytest.mark.parametrize("store", [None, hf.Materialized("kept", emit="every")])
def test_map_values_as_a_view_and_kept(store):
    with Driver(both(lambda t: t.map_values(lambda v: v * 10, store=store))) as d:
        for value in (1, 2, None):
            d.pipe("in", value, key="a", timestamp=5)
        d.pipe("in", 3, key="b", timestamp=7)
        assert timed(d, "out") == [("a", 10, 5), ("a", 20, 5), ("a", None, 5), ("b", 30, 7)]
        if store:
            assert dict(d.store("kept").all()) == {"b": 30}


@pytest.mark.parametrize("store", [None, hf.Materialized("kept", emit="every")])
def test_a_mapper_that_gives_null_deletes(store):
    with Driver(both(lambda t: t.map_values(lambda v: F.when(v > 1, v), store=store))) as d:
        for value in (2, 1, 5):
            d.pipe("in", value, key="a")
        assert pairs(d, "out") == [("a", 2), ("a", None), ("a", 5)]


def test_metadata_in_a_view_needs_a_store():
    with pytest.raises(HoldfastError, match="without a store is computed again"):
        Driver(both(lambda t: t.map_values(lambda v: dict(v=v, at=hf.timestamp()))))
    with Driver(both(lambda t: t.map_values(lambda v: dict(v=v, topic=hf.topic()), store="kept"))) as d:
        d.pipe("in", 1, key="a")
        assert pairs(d, "out") == [("a", {"v": 1, "topic": "in"})]
