"""What a program needs to run in real-time mode, and what cannot run there."""

from __future__ import annotations

from typing import Any

from holdfast.errors import NotAvailable
from holdfast.plan.stages import Topology


def refuse(plan: Topology) -> None:
    """Refuse a program that cannot run in real-time mode, with the names of the nodes that are in the way.

    >>> refuse({"nodes": [{"op": "dataframe", "id": "dataframe-1", "at": "app.py:3"}]})
    Traceback (most recent call last):
    holdfast.errors.NotAvailable: real-time mode reads topics only, and this program has DataFrames: dataframe-1 \
(app.py:3). Write them to a topic and read that, or use mode='exactly-once'
    """
    frames = [f"{node['id']} ({node.get('at', '?')})" for node in plan["nodes"] if node["op"] == "dataframe"]
    if frames:
        raise NotAvailable(
            f"real-time mode reads topics only, and this program has DataFrames: {', '.join(frames)}. "
            "Write them to a topic and read that, or use mode='exactly-once'"
        )


def slots(readers: int, plan: dict[str, Any], partitions: int) -> int:
    """How many tasks of Spark run at the same time: readers, the one that tells the time, and those of every stage.

    >>> slots(2, {"stages": 3}, 4)
    15
    """
    return readers + 1 + int(plan["stages"]) * partitions
