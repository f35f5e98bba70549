"""First step of a start: whether the program, its state, its topics and Spark fit; nothing is changed."""

from __future__ import annotations

import json
from dataclasses import dataclass

from holdfast.documents import Document
from holdfast.plan import real_time_limits, recorded_plan
from holdfast.plan.idle import as_run
from holdfast.plan.planner import plan as make_plan
from holdfast.plan.rewiring import with_fields
from holdfast.runtime import real_time, unfinished_epoch
from holdfast.runtime.checkpoint import last_committed
from holdfast.runtime.inputs import Inputs
from holdfast.runtime.lease import Lease
from holdfast.runtime.request import StartRequest
from holdfast.runtime.topics import check_topics, identities
from holdfast.spark import dataframes, kernel, session
from holdfast.spark.java_value import JavaValue
from holdfast.topology.graph import Topology


@dataclass(frozen=True)
class CheckedProgram:
    """A program that may run: its plan, as it is recorded and as this mode runs it, and its types."""

    plan: Topology
    run_plan: Topology
    types: Document
    changes: list[str]
    """How the program differs from the one that the state is of."""
    committed: int | None
    """The last epoch of the checkpoint."""
    java_session: JavaValue
    frames: dict[str, JavaValue]


def check(request: StartRequest, lease: Lease) -> CheckedProgram:
    """Refuse what cannot run, first what needs no JVM."""
    place = request.home
    committed = last_committed(place.checkpoint)
    plan = _check_without_spark(request, lease, committed)
    java_session = _session(request, plan)
    frames, plan = _frames(request, plan, java_session)
    types = kernel.check(plan.json())
    changes = recorded_plan.check(plan, place.plan, types, committed)
    run_plan = as_run(plan, request.settings.mode, request.idle_ms)
    unfinished_epoch.check(run_plan, place.plan, place.checkpoint, request.topics)
    return CheckedProgram(plan, run_plan, types, changes, committed, java_session, frames)


def _check_without_spark(request: StartRequest, lease: Lease, committed: int | None) -> Topology:
    place = request.home
    stages = recorded_plan.recorded_stages(place.plan, committed)
    plan = make_plan(request.app.topology, stages, recorded_plan.recorded_topics(place.plan, committed))
    if request.settings.mode == "real-time":
        real_time_limits.refuse(plan)
    recorded_plan.check(plan, place.plan, committed=committed)
    Inputs(place.directory).check(identities(request.topics, plan))
    lease.check()  # before anything is changed that another instance may use
    check_topics(request.topics, plan)
    return plan


def _session(request: StartRequest, plan: Topology) -> JavaValue:
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


def _frames(request: StartRequest, plan: Topology, java_session: JavaValue) -> tuple[dict[str, JavaValue], Topology]:
    """Make the DataFrames that the app reads, and write their columns into the plan."""
    app = request.app
    if not app.dataframes:
        return {}, plan
    user_session = request.spark if request.spark is not None else session.for_python(java_session)
    read = [node for node in plan.nodes if node.id in app.dataframes]
    frames = {
        node.id: dataframes.streaming_frame(app.dataframes[node.id], user_session, node.to_json()) for node in read
    }
    columns = {id: {"columns": json.loads(frame.schema.json())} for id, frame in frames.items()}
    return {id: frame._jdf for id, frame in frames.items()}, with_fields(plan, columns)
