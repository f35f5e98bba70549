import holdfast as hf
from tests.dsl.helpers import node


def test_a_global_table_is_a_source_of_its_kind(app):
    table = app.global_table("countries", "title STRING", key=str, store="countries")
    assert isinstance(table, hf.GlobalTable)
    assert (node(table)["kind"], node(table)["store"]["name"]) == ("global", "countries")
