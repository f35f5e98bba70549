"""What streams, tables and groups have in common: a node of a graph."""

from __future__ import annotations

from typing import Generic, TypeVar

from holdfast.position import user_position
from holdfast.topics.serde import Serde, serde_of
from holdfast.topology.graph import Graph, StoreOptions
from holdfast.topology.nodes import Node

N = TypeVar("N", bound=Node)
K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


class Handle:
    """A node, and the graph that the next one is added to."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node

    def _add(
        self, cls: type[N], *others: Node, id: str | None = None, store: StoreOptions | None = None, **fields: object
    ) -> N:
        return self.graph.add(cls, [self.node, *others], at=user_position(), id=id, store=store, **fields)

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


class Records(Handle, Generic[K, V]):
    """A stream or a table, to a type checker: records with keys and values of these types."""


def optional_serde(declared: object, where: str) -> Serde | None:
    """The serde of a type, or None for the default."""
    return None if declared is None else serde_of(declared, where)
