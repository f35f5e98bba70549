"""Python functions of a program on their way to the executors."""

from __future__ import annotations

import base64
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from holdfast.topology.maker import Maker
from holdfast.topology.nodes import Node


def with_functions(
    plan: dict[str, Any], nodes: Iterable[Node], types: dict[str, Any], file: Path | None
) -> dict[str, Any]:
    """The plan with the code of its functions, and how Python is started to run them; `file` is the program's."""
    calls = {node.id: found for node in nodes if (found := node.functions(types["nodes"]))}
    if not calls:
        return plan
    code = {id: {name: _code(maker, file) for name, maker in found.items()} for id, found in calls.items()}
    made = [{**node, "code": code[node["id"]]} if node["id"] in code else node for node in plan["nodes"]]
    return {**plan, "nodes": made, "python": _python()}


def _code(maker: Maker, file: Path | None) -> str:
    from pyspark import cloudpickle as untyped

    cloudpickle: Any = untyped
    # A worker that imported the program's own file would run all of it.
    own = [each for each in [*sys.modules.values()] if file and getattr(each, "__file__", None) == str(file)]
    own = [each for each in own if each.__name__ != "__main__"]
    for each in own:
        cloudpickle.register_pickle_by_value(each)
    try:
        return base64.b64encode(cloudpickle.dumps(maker)).decode()
    finally:
        for each in own:
            cloudpickle.unregister_pickle_by_value(each)


def _python() -> dict[str, Any]:
    path = [each for each in dict.fromkeys(sys.path) if each]
    return {
        "command": [os.environ.get("PYSPARK_PYTHON", sys.executable), "-m", "holdfast.calls.worker"],
        "environment": {"PYTHONPATH": os.pathsep.join(path)},
    }
