"""The plan that is recorded beside the checkpoint, and whether a changed program still fits it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from holdfast.errors import StateMismatch
from holdfast.plan.changes import Changes, compare
from holdfast.plan.stages import Topology

Types = dict[str, Any]
FORMAT = 1


def record(plan: Topology, path: str | Path, types: Types | None = None) -> None:
    """Write the plan, and the types the kernel resolved (`Kernel.check`), to `path`, whole or not at all."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with draft.open("w", encoding="utf-8") as file:
        json.dump({"format": FORMAT, "plan": plan, "types": types}, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    _sync_directory(path.parent)


def check(plan: Topology, path: str | Path, types: Types | None = None) -> list[str]:
    """Refuse a plan that does not fit the one recorded at `path`; give the changes that are allowed.

    Without a record everything fits.
    """
    recorded = _read(Path(path))
    if recorded is None:
        return []
    # Resolved types are compared with resolved ones, declared ones with declared ones.
    changes = compare(recorded["plan"], plan, recorded.get("types") if types is not None else None, types)
    if changes.refused:
        raise StateMismatch(_message(plan["app"], Path(path), changes))
    return list(changes.allowed)


def differs(plan: Topology, path: str | Path) -> bool:
    """Whether a plan is another than the one recorded at `path`; without a record it is not."""
    recorded = _read(Path(path))
    return recorded is not None and bool(recorded["plan"] != json.loads(json.dumps(plan)))


def recorded_stages(path: str | Path) -> dict[str, int]:
    """Give the stage that each state has in the record, for `plan(topology, keep=…)`; empty without a record."""
    recorded = _read(Path(path))
    nodes = recorded["plan"]["nodes"] if recorded else []
    kept = [node for node in nodes if node.get("store") and node["op"] != "table_copy" and "places" not in node]
    return {node["store"]["state"]: node["place"] for node in kept}


def _read(path: Path) -> dict[str, Any] | None:
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StateMismatch(f"{path} is not a recorded plan: {error}; {_way_out(path)}") from None
    if not isinstance(recorded, dict) or recorded.get("format") != FORMAT:
        raise StateMismatch(f"{path} was recorded by another version of Holdfast; {_way_out(path)}")
    return recorded


def _message(app: str, path: Path, changes: Changes) -> str:
    lines = [f"the program does not fit the state that app '{app}' has in {path.parent}:"]
    lines += [f"  - {change}" for change in changes.refused]
    if changes.allowed:
        lines += ["these changes would be fine:", *(f"  - {change}" for change in changes.allowed)]
    return "\n".join([*lines, f"To go on: undo the change, or {_way_out(path)}"])


def _way_out(path: Path) -> str:
    return f"give the app a new name, or remove the state directory {path.parent} to start from nothing"


def _sync_directory(directory: Path) -> None:
    """Make the rename itself survive a power cut."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
