"""What a program will do, stage by stage, as text."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.plan.exchange_reasons import Exchange, exchanges
from holdfast.plan.planner import plan
from holdfast.plan.stages import INGEST, stages_of
from holdfast.topics.own_topics import dead_letter_topic, epoch_topic, marker_topic, meta_topic, replay_topic
from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from holdfast.topology.traits import Runs


def explain(topology: Topology) -> str:
    """Say, per stage, what is read, what runs, which stores there are, what travels and why, what is written.

    >>> print(explain(Topology("empty", 4, "fail", ())).splitlines()[0])
    empty: 0 stages of 4 tasks each; one Spark query, every topic read once
    """
    planned = plan(topology) if topology.stages is None else topology
    travelled = exchanges(planned)
    lines = [_title(planned)]
    for place in range(INGEST, planned.stages or 0):
        lines += ["", *_place(planned, place, [e for e in travelled if e.stage == place])]
    return "\n".join([*lines, *_idle(planned), "", *_topics(planned)])


def _title(planned: Topology) -> str:
    stages = "1 stage" if planned.stages == 1 else f"{planned.stages} stages"
    return f"{planned.app}: {stages} of {planned.tasks} tasks each; one Spark query, every topic read once"


def _place(planned: Topology, place: int, arrivals: list[Exchange]) -> list[str]:
    nodes = [node for node in planned.nodes if place in _runs_in(node)]
    head = "ingest (in the reader of the topics)" if place == INGEST else f"stage {place}"
    read = planned.sources if place == INGEST else ()
    return [
        head,
        *_block("reads", [f"{node.reading()}{node.at_note}" for node in read]),
        *_block("exchange", [_travel(e) for e in arrivals]),
        *_block("runs", [_run(node) for node in nodes if node.is_shown and not node.reads and not node.writes]),
        *_block("stores", [node.store_story() for node in nodes if node.store]),
        *_block(
            "writes",
            [f"{node.writes}, from {node.inputs[0].id}{node.at_note}" for node in nodes if node.writes],
        ),
    ]


def _runs_in(node: Node) -> list[int]:
    return [INGEST] if node.reads == "stream" else stages_of(node)


def _block(title: str, lines: Iterable[str]) -> list[str]:
    lines = list(lines)
    return [f"  {title if not i else '':<9} {line}" for i, line in enumerate(lines)]


def _travel(exchange: Exchange) -> str:
    if exchange.origin is exchange.target:
        return f"{exchange.origin.id} arrives: {exchange.reason}"
    return f"{exchange.origin.id} --> {exchange.target.id}: {exchange.reason}"


def _run(node: Node) -> str:
    what = node.label()
    return f"{node.id}{f': {what}' if what else ''}{node.at_note}"


def _idle(planned: Topology) -> list[str]:
    """List repartitions that move nothing, because no state follows."""
    moving = [node for node in planned.nodes if node.runs is Runs.IN_NEXT_STAGE]
    idle = [node for node in moving if node.inputs[0].place == node.place]
    lines = [f"{node.id}{node.at_note} moves nothing: no state follows before the next exchange" for node in idle]
    return ["", *lines] if lines else []


def _topics(planned: Topology) -> list[str]:
    nodes, app = planned.nodes, planned.app
    outputs = dict.fromkeys(topic for node in nodes for topic in node.topics_written)
    logs = [node.store.changelog for node in nodes if node.store and node.store.changelog]
    late = dict.fromkeys(node.late_topic for node in nodes if node.late_topic and node.late_topic not in outputs)
    created = [*(f"{topic} (output)" for topic in outputs), *(f"{topic} (late records)" for topic in late)]
    created += [f"{log} (compacted)" for log in logs]
    created.append(f"{dead_letter_topic(app)} (records that could not be processed)")
    if planned.topics:
        created.append(f"{replay_topic(app)} (replayed ones)")
    created.append(f"{meta_topic(app)} (what replicas have to know)")
    created.append(f"{marker_topic(app)} (which output is written)")
    created.append(f"{epoch_topic(app)} (how far each epoch read)")
    return ["topics created when missing", *(f"  {topic}" for topic in created)]
