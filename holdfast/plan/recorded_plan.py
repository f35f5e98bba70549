"""The plan that is recorded next to the checkpoint, and whether a changed program still fits it."""

from __future__ import annotations

import json
from pathlib import Path

from holdfast.documents import Document
from holdfast.errors import StateMismatch
from holdfast.plan import durable
from holdfast.plan.changes import Changes, compare
from holdfast.plan.program_digest import program_digest
from holdfast.plan.stages import place_of
from holdfast.plan.topic_order import topic_order
from holdfast.topology.document_reader import read
from holdfast.topology.graph import Topology

FORMAT = 1
# Which sink partition each row goes to. A version of Holdfast that sends any row to another one raises it: only the
# partitions that an epoch has not written yet are written when it is repeated. 1 sent dead letters elsewhere.
PLACEMENT = 2


def record(
    plan: Topology,
    path: str | Path,
    types: Document | None = None,
    run: Topology | None = None,
    committed: int | None = None,
) -> None:
    """Write the plan, and the types the kernel resolved (`Kernel.check`), to `path`, whole or not at all.

    `run` is the plan as the mode runs it, where that is another. `committed` is the last epoch in the checkpoint: until
    there is a later one, the state is that of the plan before.
    """
    document, as_run = plan.json(), None if run is None else run.json()
    other = {} if as_run in (None, document) else {"run": as_run}
    content = {"format": FORMAT, "placement": PLACEMENT, "plan": document, "types": types, **other}
    before = _of_state(Path(path), committed)
    if before is not None and committed is not None:
        content |= {"committed": committed, "before": {name: before.get(name) for name in ("plan", "types")}}
    durable.write(Path(path), json.dumps(content, ensure_ascii=False, indent=1))


def check(plan: Topology, path: str | Path, types: Document | None = None, committed: int | None = None) -> list[str]:
    """Refuse a plan that does not fit the one recorded at `path`; give the changes that are allowed.

    Without a record everything fits. `committed` is the last epoch in the checkpoint.
    """
    recorded = _of_state(Path(path), committed)
    if recorded is None:
        return []
    # Resolved types are compared with resolved ones, declared ones with declared ones.
    old_types = recorded.get("types") if types is not None else None
    return accepted_changes(read(recorded["plan"]), plan, old_types, types, Path(path).parent)


def accepted_changes(
    old: Topology, new: Topology, old_types: Document | None, new_types: Document | None, directory: Path | None = None
) -> list[str]:
    """Refuse a plan that does not fit the state of another; give the changes that are allowed."""
    changes = compare(old, new, old_types, new_types)
    if changes.refused:
        raise StateMismatch(_message(new.app, directory, changes))
    return list(changes.allowed)


def differs(run: Topology, path: str | Path) -> bool:
    """Whether a program, as it is run, may write an epoch otherwise than the one recorded at `path` did.

    Without a record it does not.
    """
    recorded = _read(Path(path))
    if recorded is None:
        return False
    before = read(recorded.get("run") or recorded["plan"])
    return recorded.get("placement", 1) != PLACEMENT or program_digest(before) != program_digest(run)


def recorded_stages(path: str | Path, committed: int | None = None) -> dict[str, int]:
    """Give the stage that each state has in the record, for `plan(topology, recorded=…)`; empty without a record."""
    recorded = _of_state(Path(path), committed)
    return state_stages(read(recorded["plan"])) if recorded else {}


def recorded_topics(path: str | Path, committed: int | None = None) -> list[str]:
    """Give the topics in the order of the record, for `plan(topology, topics=…)`; none without a record."""
    recorded = _of_state(Path(path), committed)
    return topic_order(read(recorded["plan"])) if recorded else []


def state_stages(plan: Topology) -> dict[str, int]:
    """Give the stage that each state has in a plan."""
    stateful = [node for node in plan.nodes if not node.is_copy and node.places is None]
    return {node.store.state: place_of(node) for node in stateful if node.store}


def _of_state(path: Path, committed: int | None) -> Document | None:
    """Give the record of the plan that the state is of: that of the last one which has ended an epoch."""
    recorded = _read(path)
    if recorded is None or committed is None or recorded.get("committed") != committed:
        return recorded
    return dict(recorded["before"])


def _read(path: Path) -> Document | None:
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StateMismatch(f"{path} is not a recorded plan: {error}; {_way_out(path.parent)}") from None
    if not isinstance(recorded, dict) or recorded.get("format") != FORMAT:
        raise StateMismatch(f"{path} was recorded by another version of Holdfast; {_way_out(path.parent)}")
    return recorded


def _message(app: str, directory: Path | None, changes: Changes) -> str:
    where = f" in {directory}" if directory else ""
    lines = [f"the program does not fit the state that app '{app}' has{where}:"]
    lines += [f"  - {change}" for change in changes.refused]
    if changes.allowed:
        lines += ["these changes would be fine:", *(f"  - {change}" for change in changes.allowed)]
    return "\n".join([*lines, f"To go on: undo the change, or {_way_out(directory)}"])


def _way_out(directory: Path | None) -> str:
    state = f"the state directory {directory}" if directory else "its state directory"
    return f"give the app a new name, or remove {state} to start from nothing"
