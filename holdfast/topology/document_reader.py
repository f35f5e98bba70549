"""Reads documents of programs and plans as nodes."""

from __future__ import annotations

# Who defines an operation has to be imported, or it could not be read.
from holdfast.documents import Document
from holdfast.topology import (  # noqa: F401
    cogroup,
    deduplicate,
    patterns,
    processor_nodes,
    python_calls,
    sample,
    sources,
    stateful_function,
    stateless,
    stream_joins,
    stream_table_joins,
    suppress,
    table_copy,
    table_joins,
)
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.unknown import Unknown


def read(document: Document) -> Topology:
    """The program or the plan of a document.

    >>> read({"app": "empty", "tasks": 4, "nodes": [], "stages": 0}).stages
    0
    """
    known: dict[str, Node] = {}
    for each in document["nodes"]:
        cls = Node.operators.get(each["op"], Unknown)
        known[each["id"]] = cls.read(each, tuple(known[i] for i in each["inputs"]))
    order = document.get("topics")
    return Topology(
        document["app"],
        document["tasks"],
        document.get("on_error", ""),
        tuple(known.values()),
        document.get("stages"),
        None if order is None else tuple(order),
    )
