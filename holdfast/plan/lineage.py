"""What a stored table is made of, as a digest that does not depend on names, numbers or lines of code."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.topology.nodes import Node


def lineages(nodes: Iterable[Node]) -> dict[str, str]:
    """Give the digest of what every node gives; that of what its state is made of may be another."""
    digests: dict[str, str] = {}
    for node in nodes:
        digests[node.id] = node.made_of(digests)
    return digests
