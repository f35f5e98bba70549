"""Types that are known without Spark; a wrong guess would refuse a program that is right."""

import pytest

from holdfast.topology.infer import infer
from holdfast.types import from_json

SLOTS = {
    "value": {
        "type": "struct",
        "fields": [
            {"name": name, "type": type_, "nullable": True, "metadata": {}}
            for name, type_ in {
                "i": "integer",
                "l": "long",
                "d": "double",
                "f": "float",
                "s": "string",
                "b": "boolean",
                "x": "binary",
                "c": "decimal(10,2)",
                "a": {"type": "array", "elementType": "long", "containsNull": True},
                "m": {"type": "map", "keyType": "string", "valueType": "double", "valueContainsNull": True},
                "u": None,
            }.items()
        ],
    },
}


def field(name):
    return {"slot": "value", "path": [name]}


def call(name, *fields):
    return {"call": name, "args": [field(each) for each in fields]}


@pytest.mark.parametrize(
    ("tree", "type_"),
    [
        (field("i"), "integer"),
        (field("nothing"), None),
        ({"slot": "left", "path": []}, None),
        (call("+", "i", "l"), "long"),
        (call("+", "l", "d"), "double"),
        (call("+", "l", "f"), None),
        (call("+", "c", "l"), None),
        (call("/", "l", "l"), "double"),
        (call("/", "c", "l"), None),
        (call("negative", "c"), "decimal(10,2)"),
        (call("&", "l", "l"), "long"),
        (call("&", "l", "i"), "long"),
        (call("coalesce", "i", "d"), "double"),
        (call("coalesce", "l", "c"), None),
        (call("floor_div", "i", "i"), "long"),
        (call("floor_div", "l", "d"), "double"),
        (call("floor_div", "f", "f"), "double"),
        (call("floor_div", "c", "l"), None),
        (call("floor_mod", "i", "i"), "integer"),
        (call("floor_mod", "d", "l"), "double"),
        (call("floor_mod", "c", "c"), None),
        (call("=", "u", "u"), "boolean"),
        (call("substring", "x"), "binary"),
        (call("upper", "u"), "string"),
        (call("concat", "s", "s"), "string"),
        (call("concat", "s", "u"), None),
        (call("sum", "i"), "long"),
        (call("sum", "c"), None),
        (call("avg", "i"), "double"),
        (call("max", "s"), "string"),
        (call("max_by", "s", "l"), "string"),
        (call("max_by", "s", "l", "i"), None),
        (call("collect_list", "s"), {"type": "array", "elementType": "string", "containsNull": True}),
        (call("floor", "d"), "long"),
        (call("floor", "c"), None),
        (call("some_function_of_tomorrow", "s"), None),
        ({"lit": True}, "boolean"),
        ({"lit": 1}, "long"),
        ({"lit": 1, "type": "integer"}, "integer"),
        ({"lit": None}, None),
        ({"cast": field("u"), "to": "date"}, "date"),
        ({"case": [[field("b"), field("l")]], "else": {"lit": None}}, "long"),
        ({"case": [[field("b"), field("l")]], "else": field("d")}, None),
        ({"get": field("a"), "key": {"lit": 0}}, "long"),
        ({"get": field("m"), "key": {"lit": "k"}}, "double"),
        ({"array": [field("l"), field("s")]}, {"type": "array", "elementType": None, "containsNull": True}),
        ({"meta": "timestamp"}, "timestamp"),
        ({"sql": "1"}, None),
    ],
)
def test_types(tree, type_):
    assert infer(tree, {name: from_json(each) for name, each in SLOTS.items()}) == from_json(type_)
