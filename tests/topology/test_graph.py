import pytest

import holdfast as hf
from holdfast.errors import TopologyError


@pytest.fixture
def app():
    app = hf.App("shop", tasks=4, on_error="fail")
    orders = app.stream("orders", "id BIGINT, country STRING", key=str)
    orders.filter(lambda o: o.id > 1).to("large")
    orders.group_by("country").count(store="per-country").to("counts")
    return app


def test_the_view_of_the_graph(app):
    topology = app.topology
    orders = topology.nodes[0]
    assert [each.id for each in topology.sources] == ["orders"]
    assert {name: each.id for name, each in topology.stores.items()} == {"per-country": "count:per-country"}
    assert [each.id for each in topology.consumers(orders)] == ["filter-1", "group_by-1"]
    assert (topology.json()["tasks"], topology.json()["on_error"]) == (4, "fail")


def test_the_view_does_not_grow_with_the_app(app):
    before = app.topology
    app.stream("more", str).to("elsewhere")
    assert len(app.topology.nodes) == len(before.nodes) + 2


def test_inputs_come_before_their_consumers(app):
    seen = set()
    for node in app.topology.json()["nodes"]:
        assert set(node["inputs"]) <= seen
        seen.add(node["id"])


def test_nodes_are_frozen(app):
    with pytest.raises(AttributeError):
        app.topology.nodes[1].predicate = {}


def test_texts_and_pictures(app):
    assert "per-country" in app.topology.describe()
    assert app.topology.svg().startswith("<svg")
    assert "orders" in app.topology.mermaid()


def test_an_app_that_reads_nothing_is_refused():
    with pytest.raises(TopologyError, match="app 'empty' reads nothing; begin with app.stream"):
        hf.App("empty").topology


def test_ids_never_clash_with_topics():
    app = hf.App("shop")
    stream = app.stream("filter-1", "ok BOOLEAN")
    assert stream.filter("ok").node.id == "filter-1#2"


def test_a_store_named_like_an_unnamed_one_is_refused():
    app = hf.App("shop")
    stream = app.stream("a", str, key=str)
    stream.group_by_key().count()
    with pytest.raises(TopologyError, match="store 'count-1' already belongs to count"):
        stream.group_by_key().count(store="count-1")


def test_a_node_that_is_refused_leaves_no_trace():
    app = hf.App("shop")
    stream = app.stream("a", "ok BOOLEAN, n INT")
    with pytest.raises(TopologyError):
        stream.filter("n")
    assert [each.id for each in app.graph.nodes] == ["a"]
    assert stream.filter("ok").node.id == "filter-1"
