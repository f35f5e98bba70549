import holdfast as hf
from tests.dsl.helpers import node


def test_a_table_becomes_a_stream(customers):
    changes = customers.to_stream()
    assert isinstance(changes, hf.Stream)
    assert node(changes) == {"id": "to_stream-1", "op": "to_stream", "inputs": ["customers"]}
    assert changes.schema == customers.schema
