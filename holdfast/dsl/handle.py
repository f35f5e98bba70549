"""What streams, tables and groups have in common: a node of a graph."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar
from weakref import WeakKeyDictionary, ref

from holdfast.errors import HoldfastError
from holdfast.html_tables import html_table
from holdfast.position import user_position
from holdfast.topics.serde import Serde, serde_of
from holdfast.topology.graph import Graph, StoreOptions
from holdfast.topology.nodes import Node

if TYPE_CHECKING:
    from holdfast.dsl.app import App
    from holdfast.testing.sample_rows import SampleRows

N = TypeVar("N", bound=Node)
K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)


apps: WeakKeyDictionary[Graph, ref[App]] = WeakKeyDictionary()
"""The app of each graph, for what needs more of the app than its nodes."""
Sample = Mapping[str, Iterable[object]] | str | Path | None


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

    def show(self, sample: Sample = None, *, rows: int = 10) -> SampleRows:
        """The first rows that there are after sample data came, from the kernel and without Kafka.

        `sample` has values for each topic, or pairs of key and value; or it is a directory with a file per topic.
        Without it, that is `data` next to the app's file, or in the current directory. A notebook shows a table.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "product STRING, pieces INT", key=str)
        >>> sample = {"orders": [("a", {"product": "tea", "pieces": 2}), ("b", {"product": "cake", "pieces": 0})]}
        >>> orders.filter(lambda o: o.pieces > 0).show(sample)
        filter-1, 1 row
        key  product  pieces
        a    tea      2
        """
        shown: SampleRows = importlib.import_module("holdfast.testing.show").show(self, sample, rows)
        return shown

    def _repr_html_(self) -> str:
        parts = (line.partition(": ") for line in self.schema.splitlines())
        schema = html_table(["", "type"], [(part, kind) for part, _, kind in parts], repr(self))
        found: str = importlib.import_module("holdfast.testing.show").preview(self)
        return schema + found


def app_of(handle: Handle) -> App:
    """The app of a stream or a table."""
    app = apps[handle.graph]()
    if app is None:
        raise HoldfastError(f"{handle!r} belongs to an app that is there no more; keep the app in a variable")
    return app


def optional_serde(declared: object, where: str) -> Serde | None:
    """The serde of a type, or None for the default."""
    return None if declared is None else serde_of(declared, where)
