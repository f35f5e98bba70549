"""Detects an epoch whose output was written in part: only the program that began it may finish it."""

from __future__ import annotations

import json
from pathlib import Path

from holdfast.errors import StateMismatch
from holdfast.plan import recorded_plan
from holdfast.runtime.checkpoint import unfinished_epoch
from holdfast.topics.admin import Topics
from holdfast.topics.own_topics import marker_topic
from holdfast.topology.graph import Topology


def check(plan: Topology, recorded: Path, checkpoint: Path, topics: Topics) -> None:
    """Refuse a changed program while a part of the last epoch's output is there and the rest is not.

    What is there is not written again, so that the rest would come from another program than the first part.
    """
    epoch = unfinished_epoch(checkpoint)
    if epoch is None or not recorded_plan.differs(plan, recorded):
        return
    written = _written(topics, marker_topic(plan.app), epoch)
    if written:
        raise StateMismatch(
            f"epoch {epoch} of app {plan.app!r} was not finished, and a part of its output is written already, by "
            "the program as it was, or by the version of Holdfast before this one. Start that one once, in the same "
            "mode: it finishes the epoch; then stop it and start this one. If it cannot finish it, give the app a new "
            "name"
        )


def _written(topics: Topics, markers: str, epoch: int) -> bool:
    """Whether a partition of the sink has written its output of an epoch."""
    if markers not in {topic.name for topic in topics.existing()}:
        return False
    return any(json.loads(record.value)["epoch"] == epoch for record in topics.read(markers) if record.value)
