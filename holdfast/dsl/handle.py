"""What streams, tables and groups have in common: a node of a graph."""

from __future__ import annotations

from typing import Any, TypeVar

from holdfast.position import user_position
from holdfast.topics.serde import Serde, serde_of
from holdfast.topology.graph import Graph
from holdfast.topology.nodes import Node

N = TypeVar("N", bound=Node)


class Handle:
    """A node, and the graph that the next one is added to."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node

    def _add(self, cls: type[N], *others: Node, **fields: Any) -> N:
        return self.graph.add(cls, [self.node, *others], at=user_position(), **fields)

    @property
    def schema(self) -> str:
        """The types of key and value, `?` where only Spark can tell.

        >>> import holdfast as hf
        >>> print(hf.App("shop").stream("orders", "id BIGINT", key=str).schema)
        key: STRING
        value: STRUCT<id: BIGINT>
        """
        return f"key: {self.node.key_type}\nvalue: {self.node.value_type}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.node.id}>"


def optional_serde(declared: object, where: str) -> Serde | None:
    """The serde of a type, or None for the default."""
    return None if declared is None else serde_of(declared, where)
