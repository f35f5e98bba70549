import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import TopologyError
from tests.dsl.helpers import names, node


def test_an_aggregate_carries_its_window(orders):
    group = orders.group_by_key().windowed_by(hf.tumbling("1 s"), late="late-orders", close_on="watermark")
    made = node(group.count(store="n"))
    assert (made["id"], made["op"], made["inputs"]) == ("count:n", "count", ["group_by_key-1"])
    assert (made["window"]["kind"], made["late"], made["time"]) == ("tumbling", "late-orders", "source")


def test_every_aggregate_can_have_a_window(orders):
    group = orders.group_by_key().windowed_by(hf.hopping("2 s", advance="1 s"))
    made = [
        group.count(),
        group.agg(n=F.count("*")),
        group.reduce(lambda old, new: new),
        group.aggregate(0, lambda s, o: s + o.id),
        group.top(3, by="amount"),
    ]
    assert {node(each)["window"]["advance"] for each in made} == {1000}
    assert {node(each)["late"] for each in made} == {None}


def test_the_key_is_one_of_a_window(orders):
    table = orders.group_by_key().windowed_by(hf.sliding("1 s")).count()
    assert table.schema == "key: STRUCT<key: STRING, start: TIMESTAMP, end: TIMESTAMP>\nvalue: BIGINT"
    keyed = table.to_stream().map(lambda k, n: (k.key, dict(start=k.start, n=n)))
    assert names(keyed.node.value_type) == ["start", "n"]


def test_without_a_window_nothing_changes(orders):
    assert "window" not in node(orders.group_by_key().count())


@pytest.mark.parametrize(("emit", "store"), [("latest", "latest"), ("every", "every"), ("final", "latest")])
def test_the_store_knows_whether_every_update_is_told(orders, emit, store):
    table = orders.group_by_key().windowed_by(hf.tumbling("1 s", emit=emit)).count()
    assert node(table)["store"]["emit"] == store


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g: g.windowed_by("1 minute"), "windowed_by: a window was wanted, '1 minute' came; give for example hf"),
        (lambda g: g.windowed_by(hf.tumbling("1 s")).windowed_by(hf.tumbling("1 s")), "has a window already"),
        (lambda g: g.windowed_by(hf.tumbling("1 s"), close_on="wall"), "close_on is 'wall'; it may be"),
        (lambda g: g.windowed_by(hf.tumbling("1 s"), late="a b"), "topic 'a b' may have letters"),
        (
            lambda g: g.windowed_by(hf.tumbling("1 s", emit="final")).count(store=hf.Materialized("n", emit="every")),
            'the window has emit="final", the store emit="every"',
        ),
    ],
)
def test_wrong_use_is_refused(orders, make, message):
    with pytest.raises(TopologyError, match=message):
        make(orders.group_by_key())
