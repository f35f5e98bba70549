import pytest

import holdfast as hf
from holdfast.errors import TopologyError
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from tests.dsl.helpers import call, last_node, lit, value


def test_a_plain_string_is_a_topic(app, orders):
    assert orders.to("copies") is None
    assert last_node(app) == {
        "id": "to:copies",
        "op": "to",
        "inputs": ["orders"],
        "topic": "copies",
        "key": None,
        "value": None,
        "headers": None,
    }


def test_a_lambda_chooses_the_topic(app, orders):
    orders.to(lambda o: "orders-" + o.country)
    assert last_node(app)["id"] == "to-1"
    assert last_node(app)["topic"] == call("concat", lit("orders-"), value("country"))


def test_serdes_and_types(app, orders):
    orders.map_values(lambda o: o.id).to("ids", key=str, value=hf.int64())
    assert last_node(app)["key"] == {"format": "text", "type": "string"}
    assert last_node(app)["value"] == {"format": "int64", "type": "long"}


def test_a_record_without_a_required_field_is_refused(orders):
    made = orders.map_values(lambda o: dict(id=o.id))
    with pytest.raises(TopologyError, match="value has no field 'total', which value= declares as required; it has id"):
        made.to("totals", value="id BIGINT NOT NULL, total DOUBLE NOT NULL")
    made.to("ids", value="id BIGINT NOT NULL, total DOUBLE")


def test_headers_of_a_dict_are_a_map(app, orders):
    orders.to("copies", headers=lambda o: dict(country=o.country, version="1"))
    assert last_node(app)["headers"] == call("map", lit("country"), value("country"), lit("version"), lit("1"))


def test_two_sinks_of_one_topic_have_two_names(app, orders):
    orders.to("copies")
    orders.filter("vip").to("copies")
    assert last_node(app)["id"] == "to:copies#2"


def test_an_integer_serde_wants_integers(orders):
    with pytest.raises(TopologyError, match=r"value is record\(.*\), hf.int64\(\) writes integers"):
        orders.to("copies", value=hf.int64())


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("", "name a topic"),
        (None, "name a topic"),
        ("a b", r"topic 'a b' may have letters, digits"),
        ("shop-meta", "'shop-meta' is one that app 'shop' keeps for itself"),
        ("shop-x-changelog", "keeps for itself"),
        ("shop-dead-letters", "keeps for itself"),
        ("shop-markers", "keeps for itself"),
        ("shop-epochs", "keeps for itself"),
        ("shop-replay", "keeps for itself"),
        ("__consumer_offsets", "one of Kafka's own"),
    ],
)
def test_a_wrong_topic_is_refused(orders, topic, message):
    with pytest.raises(TopologyError, match=message):
        orders.to(topic)


def test_writing_to_a_topic_the_app_reads_is_fine(app, orders):
    orders.to("orders")
    assert last_node(app)["id"] == "to:orders"


class Names:
    """Takes the topics that an app would make, and makes none."""

    def existing(self, internal=False):
        return []

    def ensure(self, specs):
        return [spec.name for spec in specs]


def test_every_topic_that_an_app_makes_for_itself_is_reserved(app, orders):
    orders.group_by_key().count(store="n")
    made = [name for name in ensure_topics(Names(), plan(app.topology)) if name != "orders"]
    assert len(made) >= 6
    for topic in made:
        with pytest.raises(TopologyError, match="keeps for itself"):
            orders.to(topic)
