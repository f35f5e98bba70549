from tests.dsl.helpers import node


def test_it_is_a_stream_of_bytes_read_once(app):
    shown = node(app.dead_letters)
    assert (shown["id"], shown["topics"]) == ("shop-dead-letters", ["shop-dead-letters"])
    assert shown["key"] == shown["value"] == {"format": "bytes", "type": "binary"}
    assert app.dead_letters.node is app.dead_letters.node
