"""Third step of a start: record the plan next to the checkpoint, and publish the program to replicas."""

from __future__ import annotations

import json
import time
from pathlib import Path

from holdfast.documents import Document
from holdfast.plan import recorded_plan
from holdfast.runtime.check import CheckedProgram
from holdfast.runtime.epochs import publish_beginning
from holdfast.runtime.prepare import PreparedProgram
from holdfast.runtime.request import StartRequest
from holdfast.topics.records import Record
from holdfast.topology.graph import Topology
from holdfast.topology.runner_spec import resolved_types

_LARGEST_FILE = 256 << 10


def publish(request: StartRequest, checked: CheckedProgram, prepared: PreparedProgram) -> None:
    """Record the plan, and write topology and types to the meta topic."""
    recorded_plan.record(checked.plan, request.home.plan, checked.types, checked.run_plan, checked.committed)
    _publish_topology(request, checked)
    if prepared.is_new:
        publish_beginning(request.topics, request.settings.name, prepared.changelog_ends)


def program(file: Path | None, plan: Topology, types: Document) -> Document:
    """What people want to see beside the picture: the program's file, and which nodes call Python functions."""
    resolved = resolved_types(types["nodes"])
    python = [node.id for node in plan.nodes if node.functions(resolved)]
    return {"v": 1, "python": python, "files": _files(file)}


def _files(file: Path | None) -> dict[str, str]:
    """The text of the program by the name that positions have; a large one is left out."""
    if file is None or not file.is_file() or file.stat().st_size > _LARGEST_FILE:
        return {}
    return {file.name: file.read_text(encoding="utf-8", errors="replace")}


def _publish_topology(request: StartRequest, checked: CheckedProgram) -> None:
    types = checked.types
    content = {"topology": checked.plan.json(), "stores": types["stores"], "schemas": types["nodes"]}
    if request.settings.telemetry:
        content["program"] = program(request.app.file, checked.plan, types)
    now = int(time.time() * 1000)
    request.topics.produce([Record(request.meta, b"topology", json.dumps(content).encode(), timestamp=now)])
