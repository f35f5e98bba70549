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
            "memory": False,
            "changelog": "shop-latest-changelog",
        },
    }


def test_an_unnamed_store_has_none(orders):
    assert node(orders.to_table())["store"] == {
        "name": None,
        "state": "to_table-1",
        "emit": "latest",
        "memory": False,
        "changelog": None,
    }


def test_options_of_a_store(orders):
    store = node(orders.to_table(store=hf.Materialized("m", emit="every", memory=True)))["store"]
    assert (store["emit"], store["memory"]) == ("every", True)
