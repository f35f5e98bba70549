from tests.dsl.helpers import node, value


def test_kept_only_with_a_store(customers):
    view, kept = customers.map_values(lambda c: c.name), customers.map_values("name", store="names")
    assert (node(view)["id"], node(view)["store"]) == ("table_map_values-1", None)
    assert node(kept)["value"] == value("name")
    assert node(kept)["store"]["changelog"] == "shop-names-changelog"
    assert kept.schema == "key: BIGINT\nvalue: STRING"
