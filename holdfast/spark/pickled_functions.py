"""Pickles the Python functions of a program for the executors."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from holdfast.documents import Document
from holdfast.settings import Settings
from holdfast.settings.workers import WorkerSettings
from holdfast.spark.java_value import JavaValue
from holdfast.spark.worker_environment import send
from holdfast.topology.nodes import Node
from holdfast.topology.runner_spec import RunnerSpec, resolved_types


def with_functions(
    plan: Document,
    nodes: Iterable[Node],
    types: Document,
    file: Path | None,
    settings: Settings,
    java_session: JavaValue,
) -> Document:
    """The plan with the code of its functions, and how Python is started to run them; `file` is the program's."""
    resolved = resolved_types(types["nodes"])
    calls = {node.id: found for node in nodes if (found := node.functions(resolved))}
    if not calls:
        return plan
    code = {id: {name: _code(spec, file) for name, spec in found.items()} for id, found in calls.items()}
    titles = {id: {name: _title(name, spec) for name, spec in found.items()} for id, found in calls.items()}
    made = [
        {**node, "code": code[node["id"]], "titles": titles[node["id"]]} if node["id"] in code else node
        for node in plan["nodes"]
    ]
    return {
        **plan,
        "nodes": made,
        "python": {**send(java_session, settings.base, settings.python), **_limits(settings.python)},
    }


def _title(name: str, spec: RunnerSpec) -> str:
    """How the user knows a function: by its name, file and line, if the spec knows them."""
    first = spec.arguments[0] if spec.arguments else None
    return str(getattr(first, "title", name))


def _code(spec: RunnerSpec, file: Path | None) -> str:
    from pyspark import cloudpickle as untyped

    cloudpickle: Any = untyped  # PySpark's copy has no types
    # A worker that imported the program's own file would run all of it.
    own = [each for each in [*sys.modules.values()] if file and getattr(each, "__file__", None) == str(file)]
    own = [each for each in own if each.__name__ != "__main__"]
    for each in own:
        cloudpickle.register_pickle_by_value(each)
    try:
        return base64.b64encode(cloudpickle.dumps(spec)).decode()
    finally:
        for each in own:
            cloudpickle.unregister_pickle_by_value(each)


def _limits(settings: WorkerSettings) -> dict[str, int]:
    return {"timeout_ms": settings.timeout_ms, "memory_bytes": settings.memory_bytes, "calls": settings.calls}
