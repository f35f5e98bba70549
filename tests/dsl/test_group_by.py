from tests.dsl.helpers import node, record, value


def test_a_new_key(orders):
    counts = orders.group_by(lambda o: o.country).count(store="per-country")
    assert node(counts)["inputs"] == ["group_by-1"]
    assert counts.graph.nodes[-2].to_json()["key"] == value("country")
    assert counts.schema == "key: STRING\nvalue: BIGINT"


def test_several_keys_are_a_record(orders):
    group = orders.group_by("country", "vip")
    assert node(group)["key"] == record(country=value("country"), vip=value("vip"))
