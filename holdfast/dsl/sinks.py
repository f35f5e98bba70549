"""The fields of a sink."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from holdfast.documents import Json
from holdfast.dsl.columns import call
from holdfast.dsl.handle import optional_serde
from holdfast.dsl.lambdas import Scope, bound, evaluate, expression
from holdfast.dsl.python_calls import result
from holdfast.dsl.python_calls import value as value_of
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topics.serde import Serde
from holdfast.topology.infer import E


class SinkFields(TypedDict):
    """The fields of a `to` node."""

    id: str | None
    topic: str | E
    key: Serde | None
    value: Serde | None
    headers: E | None


class ChosenFields(SinkFields):
    """The fields of a `to` node behind a function in Python that chooses the topic."""

    payload: E


def sink_fields(scope: Scope, topic: object, key: object, value: object, headers: object) -> SinkFields:
    """The fields of a `to` node: a plain string is a topic, everything else chooses one for each record."""
    if topic is None or (isinstance(topic, str) and not topic):
        raise TopologyError("to: name a topic, or give a lambda that chooses one", at=user_position())
    return {
        "id": f"to:{topic}" if isinstance(topic, str) else None,
        "topic": topic if isinstance(topic, str) else expression(topic, scope, "the topic of to"),
        "key": optional_serde(key, "to: key"),
        "value": optional_serde(value, "to: value"),
        "headers": None if headers is None else _headers(headers, scope),
    }


def _headers(given: object, scope: Scope) -> E:
    """Headers as a map; a dict names them."""
    made = evaluate(given, scope, "headers=")
    if isinstance(made, Mapping):
        made = call("map", *(part for entry in made.items() for part in entry))
    return bound(made, given, scope)


def chosen_fields(record: Scope, chosen: Scope, key: object, value: object, headers: object) -> ChosenFields:
    """The fields of a `to` node behind a function in Python that has chosen the topic; the value is next to it."""
    made = sink_fields(chosen, result, key, value, None)
    tree = None if headers is None else _tree_beside(_headers(headers, record))
    return {**made, "headers": tree, "payload": expression(value_of, chosen, "the value of to")}


def _tree_beside(tree: E) -> E:
    """An expression of records, for records that have the value as a field."""
    if tree.get("slot") == "value":
        return {**tree, "path": ["value", *tree["path"]]}
    return {name: each if name in ("lit", "type", "to") else _beside(each) for name, each in tree.items()}


def _beside(part: Json) -> Json:
    if isinstance(part, dict):
        return _tree_beside(part)
    return [_beside(each) for each in part] if isinstance(part, list) else part
