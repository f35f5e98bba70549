"""More headers than two bytes can count go wherever a record goes."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver

COUNTS = [65_535, 65_536, 70_000]


def many(count):
    return [(f"h{i % 1000}", b"%d" % i) for i in range(count)]


@pytest.mark.parametrize("count", COUNTS)
def test_to_an_output_and_to_dead_letters_at_the_source_and_at_a_node(count):
    app = hf.App("many")
    numbers = app.stream("in", int, key=str)
    numbers.map_values(lambda v: F.cast(10 / v, "bigint")).to("out")
    with Driver(app) as d:
        for value in (b"5", b"0", b"?"):
            d.pipe("in", value, key="a", headers=many(count))
        (out,) = d.read("out")
        assert out.all_headers == tuple(many(count))
        letters = d.dead_letters()
        assert [each.node for each in letters] == ["map_values-1", "in"]
        for each in letters:
            assert each.record.all_headers[:count] == tuple(many(count))
            d.replay(each, 2)
        assert [r.all_headers for r in d.read("out")] == [(*many(count), ("hf-replayed", b"1"))] * 2


@pytest.mark.parametrize("count", COUNTS[1:])
def test_through_a_table_an_exchange_and_a_join_of_streams(count):
    app = hf.App("many")
    left, right = (app.stream(name, str, key=str) for name in ("l", "r"))
    left.left_join(right, lambda a, b: F.coalesce(b, a), within="10 ms").to("joined")
    left.to_table(store="rows").to("rows")
    left.group_by(lambda v: F.upper(v)).count(store="n").suppress(hf.until_time("10 ms")).to("counts")
    app.table("t", str, key=str, store="kept").to("table")
    with Driver(app) as d:
        d.pipe("t", "x", key="a", timestamp=1, headers=many(count))
        d.pipe("l", "x", key="a", timestamp=1, headers=many(count))
        d.pipe("r", "y", key="a", timestamp=2, headers=many(count))
        d.pipe("l", "x", key="a", timestamp=30, headers=many(count))
        d.pipe("l", "x", key="a", timestamp=100)
        found = {topic: d.read(topic) for topic in ("joined", "rows", "table", "counts")}
        stored = {topic: [len(r.all_headers) for r in records] for topic, records in found.items()}
        assert stored == {"joined": [count] * 2, "rows": [count, count, 0], "table": [count], "counts": [count]}
        assert all(r.all_headers in ((), tuple(many(count))) for records in found.values() for r in records)
        assert d.dead_letters() == []


def twice(v: int) -> int:
    return 2 * v


class Same(hf.Processor):
    returns = int

    def process(self, record):
        self.context.forward(record)


@pytest.mark.parametrize("count", COUNTS[1:])
def test_through_python(count):
    app = hf.App("many")
    app.stream("in", int, key=str).map_values(hf.python(twice, returns=int)).to("out")
    app.stream("in", int, key=str).process(Same).to("processed")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", headers=many(count))
        assert [d.read(topic)[0].all_headers for topic in ("out", "processed")] == [tuple(many(count))] * 2
