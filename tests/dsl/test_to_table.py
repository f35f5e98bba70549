import holdfast as hf
from tests.dsl.helpers import node


def test_a_named_store_has_a_changelog(orders):
    table = orders.to_table(store="latest")
    assert isinstance(table, hf.Table)
    assert node(table) == {
        "id": "to_table:latest",
        "op": "to_table",
        "inputs": ["orders"],
        "store": {
            "name": "latest",
            "state": "latest",
            "emit": "latest",
            "changelog": "shop-latest-changelog",
        },
    }


def test_an_unnamed_store_has_none(orders):
    assert node(orders.to_table())["store"] == {
        "name": None,
        "state": "to_table-1",
        "emit": "latest",
        "changelog": None,
    }


def test_options_of_a_store(orders):
    store = node(orders.to_table(store=hf.Materialized("m", emit="every", ttl="1 hour")))["store"]
    assert (store["emit"], store["ttl"]) == ("every", 3_600_000)
