"""Where a new app begins to read, per topic."""

from __future__ import annotations

import json
from collections.abc import Mapping

from holdfast.topics.own_topics import replay_topic
from holdfast.topology.graph import Topology

EARLIEST, LATEST = -2, -1


def starting(reset: str | int, plan: Topology, partitions: Mapping[str, int]) -> dict[str, str]:
    """Options of the source; tables and replays are read from their beginning whatever streams do."""
    if reset == "earliest":
        return {"startingOffsets": "earliest"}
    tables = {topic for topic, kind in plan.topics.items() if kind != "stream"}
    tables.add(replay_topic(plan.app))
    if reset == "latest":
        return {"startingOffsets": json.dumps(_each(partitions, tables, EARLIEST, LATEST))}
    by_time = json.dumps(_each(partitions, tables, 0, int(reset)))
    return {"startingOffsetsByTimestamp": by_time, "startingOffsetsByTimestampStrategy": "latest"}


def _each(
    partitions: Mapping[str, int], tables: set[str], for_tables: int, for_streams: int
) -> dict[str, dict[str, int]]:
    return {
        topic: {str(p): for_tables if topic in tables else for_streams for p in range(count)}
        for topic, count in partitions.items()
    }
