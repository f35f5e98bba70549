from datetime import UTC, datetime

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import pairs, values


def facts():
    return dict(
        at=hf.timestamp(),
        topic=hf.topic(),
        partition=hf.partition(),
        offset=hf.offset(),
        trace=F.element_at(hf.headers(), "trace"),
    )


def test_where_a_record_comes_from():
    app = hf.App("meta")
    app.stream(["one", "two"], int, key=str).map_values(lambda v: facts()).to("out")
    with Driver(app) as d:
        d.pipe("one", 1, key="a", timestamp=1000, headers={"trace": b"x"})
        d.pipe("two", 1, key="a", timestamp=2000, partition=3)
        d.pipe("one", 1, key="a", timestamp=3000)
        at = [datetime(1970, 1, 1, 0, 0, n, tzinfo=UTC) for n in (1, 2, 3)]
        assert values(d, "out") == [
            {"at": at[0], "topic": "one", "partition": 0, "offset": 0, "trace": b"x"},
            {"at": at[1], "topic": "two", "partition": 3, "offset": 0, "trace": None},
            {"at": at[2], "topic": "one", "partition": 0, "offset": 1, "trace": None},
        ]


def test_it_is_known_behind_joins_changes_of_key_and_in_aggregates():
    app = hf.App("meta")
    names = app.table("names", str, key=int)
    s = app.stream("in", "x BIGINT", key=str)
    joined = s.select_key("x").join(names, lambda v, n: dict(facts(), n=n))
    joined.to("joined")
    s.group_by("x").aggregate(
        dict(topic="", last=0), lambda st, v: dict(topic=hf.topic(), last=hf.offset()), store="agg"
    )
    s.group_by("x").reduce(lambda a, b: dict(x=a.x + hf.offset()), store="sum")
    with Driver(app) as d:
        d.pipe("names", "one", key=1, timestamp=5)
        for _ in range(2):
            d.pipe("in", {"x": 1}, key="k", timestamp=1000, headers={"trace": b"y"})
        assert [(v["topic"], v["offset"], v["trace"]) for _, v in pairs(d, "joined")] == [
            ("in", 0, b"y"),
            ("in", 1, b"y"),
        ]
        assert d.store("agg")[1] == {"topic": "in", "last": 1}
        assert d.store("sum")[1] == {"x": 2}


def test_headers_cross_every_operation():
    app = hf.App("meta")
    names = app.table("names", str, key=str)
    s = app.stream("in", str, key=str)
    out = s.filter(lambda v: v != "").flat_map_values(lambda v: F.split(v, " ")).select_key(lambda v: v)
    out.left_join(names, lambda v, n: v).repartition().to("out")
    with Driver(app) as d:
        d.pipe("in", "a b", key="k", headers={"h": b"1", "empty": b""})
        assert sorted((r.key, r.headers["h"], r.headers["empty"]) for r in d.read("out")) == [
            ("a", b"1", b""),
            ("b", b"1", b""),
        ]
