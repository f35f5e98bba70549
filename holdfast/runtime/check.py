"""First step of a start: whether the program, its state, its topics and Spark fit; nothing is changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from holdfast.documents import Document
from holdfast.plan import real_time_limits, upgrade
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan as make_plan
from holdfast.runtime import real_time, unfinished
from holdfast.runtime.checkpoint import last_committed
from holdfast.runtime.inputs import Inputs
from holdfast.runtime.lease import Lease
from holdfast.runtime.request import Request
from holdfast.runtime.topics import check_topics, identities
from holdfast.spark import dataframes, kernel, session

Plan = Document


@dataclass(frozen=True)
class Checked:
    """A program that may run: its plan, as it is recorded and as this mode runs it, and its types."""

    plan: Plan
    run_plan: Plan
    types: Document
    changes: list[str]
    """How the program differs from the one that the state is of."""
    committed: int | None
    """The last epoch of the checkpoint."""
    java_session: Any
    frames: Document


def check(request: Request, lease: Lease) -> Checked:
    """Refuse what cannot run, first what needs no JVM."""
    place = request.home
    committed = last_committed(place.checkpoint)
    plan = _check_without_spark(request, lease, committed)
    java_session = _session(request, plan)
    frames = _frames(request, plan, java_session)
    types = kernel.check(plan)
    changes = upgrade.check(plan, place.plan, types, committed)
    run_plan = as_run(plan, request.settings.mode, request.idle_ms)
    unfinished.check(run_plan, place.plan, place.checkpoint, request.topics)
    return Checked(plan, run_plan, types, changes, committed, java_session, frames)


def _check_without_spark(request: Request, lease: Lease, committed: int | None) -> Plan:
    place = request.home
    stages = upgrade.recorded_stages(place.plan, committed)
    plan = make_plan(request.app.topology.json(), stages, upgrade.recorded_topics(place.plan, committed))
    if request.settings.mode == "real-time":
        real_time_limits.refuse(plan)
    upgrade.check(plan, place.plan, committed=committed)
    Inputs(place.directory).check(identities(request.topics, plan))
    lease.check()  # before anything is changed that another instance may use
    check_topics(request.topics, plan)
    return plan


def _session(request: Request, plan: Plan) -> Any:
    settings = request.settings
    slots = real_time.slots(settings, plan, request.home.checkpoint) if settings.mode == "real-time" else 0
    if request.spark is None:
        java_session = session.create(settings, request.home.log, slots)
    else:
        kernel.adopt(request.spark.sparkContext._gateway)
        java_session = request.spark._jsparkSession
    session.check_speculation(java_session)
    real_time.check_slots(java_session, slots)
    return java_session


def _frames(request: Request, plan: Plan, java_session: object) -> Document:
    """Make the DataFrames that the app reads, and write their columns into the plan."""
    app = request.app
    if not app.dataframes:
        return {}
    user_session = request.spark if request.spark is not None else session.for_python(java_session)
    frames = {}
    for node in plan["nodes"]:
        if node["op"] == "dataframe":
            frame = dataframes.made(app.dataframes[node["id"]], user_session, node)
            node["schema"] = json.loads(frame.schema.json())
            frames[node["id"]] = frame._jdf
    return frames
