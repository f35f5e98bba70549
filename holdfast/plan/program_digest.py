"""The digest of a program, by which runs are compared: an epoch must be repeated by the same program."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from holdfast.documents import Json
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node

# Topics have digests of versions in which every store had these options.
_FORMER = {"memory": False}


def program_digest(plan: Topology) -> str:
    """Name a program, as its mode runs it; where it stands in its file means nothing.

    The same program has the same name in every version of Holdfast: epochs are recorded with it.
    """
    document = {**plan.json(), "nodes": [_node(node) for node in plan.nodes]}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:32]


def _node(node: Node) -> dict[str, Json]:
    document = {name: value for name, value in node.to_json().items() if name != "at"}
    store = document.get("store")
    return {**document, "store": {**_FORMER, **store}} if isinstance(store, Mapping) else document
