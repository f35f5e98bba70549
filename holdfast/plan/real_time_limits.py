"""What a program needs to run in real-time mode, and what cannot run there."""

from __future__ import annotations

from holdfast.errors import NotAvailable
from holdfast.topology.graph import Topology
from holdfast.topology.sources import DataFrame


def refuse(plan: Topology) -> None:
    """Refuse a program that cannot run in real-time mode, with the names of the nodes that prevent it.

    >>> frame = DataFrame(id="dataframe-1", at="app.py:3", key=None, timestamp=None)
    >>> refuse(Topology("a", 1, "fail", (frame,)))
    Traceback (most recent call last):
    holdfast.errors.NotAvailable: real-time mode reads topics only, and this program has DataFrames: dataframe-1 \
(app.py:3). Write them to a topic and read that, or use mode='exactly-once'
    """
    frames = [f"{node.id} ({node.at or '?'})" for node in plan.nodes if isinstance(node, DataFrame)]
    if frames:
        raise NotAvailable(
            f"real-time mode reads topics only, and this program has DataFrames: {', '.join(frames)}. "
            "Write them to a topic and read that, or use mode='exactly-once'"
        )


def slots(readers: int, plan: Topology, partitions: int) -> int:
    """How many tasks of Spark run at the same time: readers, the ticker, and those of every stage.

    >>> slots(2, Topology("a", 1, "fail", (), stages=3), 4)
    15
    """
    return readers + 1 + (plan.stages or 0) * partitions
