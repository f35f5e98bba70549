"""Third step of a start: record the plan next to the checkpoint, and publish the program to replicas."""

from __future__ import annotations

import json
import time

from holdfast.plan import recorded_plan
from holdfast.runtime.check import CheckedProgram
from holdfast.runtime.epochs import publish_beginning
from holdfast.runtime.prepare import PreparedProgram
from holdfast.runtime.request import StartRequest
from holdfast.topics.records import Record


def publish(request: StartRequest, checked: CheckedProgram, prepared: PreparedProgram) -> None:
    """Record the plan, and write topology and types to the meta topic."""
    recorded_plan.record(checked.plan, request.home.plan, checked.types, checked.run_plan, checked.committed)
    _publish_topology(request, checked)
    if prepared.is_new:
        publish_beginning(request.topics, request.settings.name, prepared.changelog_ends)


def _publish_topology(request: StartRequest, checked: CheckedProgram) -> None:
    types = checked.types
    content = {"topology": checked.plan.json(), "stores": types["stores"], "schemas": types["nodes"]}
    now = int(time.time() * 1000)
    request.topics.produce([Record(request.meta, b"topology", json.dumps(content).encode(), timestamp=now)])
