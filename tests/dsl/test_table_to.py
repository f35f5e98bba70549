import holdfast as hf
from tests.dsl.helpers import last_node


def test_a_table_writes_its_changes(app, orders):
    orders.group_by("country").count().to("counts", value=hf.int64())
    assert last_node(app)["inputs"] == ["count-1"]
    assert last_node(app)["value"] == {"format": "int64", "type": "long"}
