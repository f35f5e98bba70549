import pytest

import holdfast as hf
from holdfast.errors import TopologyError, TypeDeclarationError
from tests.dsl.helpers import node


def test_a_table_always_has_a_store(app):
    shown = node(app.table("players", "name STRING", key=int))
    assert (shown["kind"], shown["key"]) == ("table", {"format": "text", "type": "long"})
    assert shown["store"] == {
        "name": None,
        "state": "source-players",
        "emit": "latest",
        "changelog": None,
    }


def test_a_named_one_can_be_queried(app):
    shown = node(app.table("players", "name STRING", key=int, store="players"))
    assert (shown["id"], shown["store"]["changelog"]) == ("players", "shop-players-changelog")


def test_a_table_needs_a_key(app):
    with pytest.raises(TypeError, match="key"):
        app.table("players", "name STRING")
    with pytest.raises(TypeDeclarationError, match="players: key: None is not a type"):
        app.table("players", "name STRING", key=None)


def test_the_same_table_twice_is_read_once_and_another_store_refused(app):
    first = app.table("players", str, key=int, store="players")
    assert app.table("players", str, key=int, store="players").node is first.node
    with pytest.raises(TopologyError, match="with another timestamp=, max_ahead=, on_error= or store="):
        app.table("players", str, key=int, store="other")


def test_binary_keys_of_kafka(app):
    assert node(app.table("players", str, key=hf.int32()))["key"] == {"format": "int32", "type": "integer"}
