"""Keys come and go: joins and versioned tables forget what nobody can ask for any more."""

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.joins import both, joined

BATCH = 20


def entries(driver, topics, keys):
    """How many entries there are after so many keys, with three records each in turn of the topics."""
    for start in range(0, keys, BATCH):
        with driver.batch():
            for i in range(start, start + BATCH):
                for n, time in enumerate((i * 3, i * 3 + 4, i * 3 + 2)):
                    driver.pipe(topics[(i + n) % len(topics)], "v", key=f"k{i}", timestamp=time)
    return driver._kernel.entries()


@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
@pytest.mark.parametrize("grace", ["0 ms", "7 ms"])
def test_joins_of_streams_leave_nothing_behind(how, grace):
    app = joined(how, within="10 ms", grace=grace)
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, ["l", "r"], 400) <= entries(few, ["l", "r"], 60) + 10


def test_a_hot_key_of_a_join_is_a_few_rows():
    with Driver(joined("outer_join", within="10 ms")) as d:
        for start in range(0, 2000, 100):
            with d.batch():
                for time in range(start, start + 100):
                    d.pipe("l", "v", key="hot", timestamp=time)
        assert d._kernel.entries() < 30


def test_versions_are_forgotten_and_the_latest_stay():
    app = hf.App("versions", tasks=1)
    app.table("table", str, key=str, store=hf.Materialized("table", versioned="50 ms"))
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, ["table"], 400) - 400 <= entries(few, ["table"], 60) - 60 + 10


def test_deleted_keys_leave_nothing_behind():
    app = hf.App("deleted", tasks=1)
    app.table("table", str, key=str, store=hf.Materialized("table", versioned="50 ms"))
    with Driver(app) as d:
        for i in range(200):
            d.pipe("table", "v", key=f"k{i}", timestamp=i * 10)
            d.pipe("table", None, key=f"k{i}", timestamp=i * 10 + 1)
        assert d._kernel.entries() < 40


def test_records_that_waited_are_gone():
    app = hf.App("waiting", tasks=1)
    table = app.table("table", str, key=str, store=hf.Materialized("table", versioned="50 ms"))
    app.stream("in", str, key=str).left_join(table, both, grace="10 ms").to("out")
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, ["in"], 400) <= entries(few, ["in"], 60) + 10
