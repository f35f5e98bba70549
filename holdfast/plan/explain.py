"""What a program will do, stage by stage, as text."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.plan.exchanges import Exchange, exchanges
from holdfast.plan.planner import plan
from holdfast.plan.stages import INGEST, Node, Topology, is_source, stages_of
from holdfast.topology.reading import SOURCES, detail, kind, named_branches, store_name, topic_name


def explain(topology: Topology) -> str:
    """Say, per stage, what is read, what runs, which stores there are, what travels and why, what is written.

    >>> print(explain({"app": "empty", "tasks": 4, "on_error": "fail", "nodes": []}).splitlines()[0])
    empty: 0 stages of 4 tasks each; one Spark query, every topic read once
    """
    planned = topology if "stages" in topology else plan(topology)
    planned = {**planned, "nodes": named_branches(planned["nodes"])}
    travelled = exchanges(planned)
    lines = [_title(planned)]
    for place in range(INGEST, planned["stages"]):
        lines += ["", *_place(planned, place, [e for e in travelled if e.stage == place])]
    return "\n".join([*lines, *_idle(planned), "", *_topics(planned)])


def _title(planned: Topology) -> str:
    stages = "1 stage" if planned["stages"] == 1 else f"{planned['stages']} stages"
    return f"{planned['app']}: {stages} of {planned['tasks']} tasks each; one Spark query, every topic read once"


def _place(planned: Topology, place: int, arrivals: list[Exchange]) -> list[str]:
    here = [node for node in planned["nodes"] if place in _runs_in(node)]
    head = "ingest (in the reader of the topics)" if place == INGEST else f"stage {place}"
    return [
        head,
        *_block("reads", [_read(node) for node in planned["nodes"] if node["op"] in SOURCES and place == INGEST]),
        *_block("exchange", [_travel(e) for e in arrivals]),
        *_block("runs", [_run(node) for node in here if node["op"] not in ("to", "store", *SOURCES)]),
        *_block("stores", [_store(node) for node in here if store_name(node)]),
        *_block("writes", [_write(node) for node in here if node["op"] == "to"]),
    ]


def _runs_in(node: Node) -> list[int]:
    return [INGEST] if is_source(node, "stream") else stages_of(node)


def _block(title: str, lines: Iterable[str]) -> list[str]:
    lines = list(lines)
    return [f"  {title if not i else '':<9} {line}" for i, line in enumerate(lines)]


def _at(node: Node) -> str:
    return f" ({node['at']})" if node.get("at") else ""


def _read(node: Node) -> str:
    if node["op"] == "dataframe":
        return f"{node['id']}, a Spark DataFrame{_at(node)}"
    what = {"stream": "a stream", "table": "a table", "global": "a global table"}[kind(node)]
    return f"{', '.join(node['topics'])} as {what}{_at(node)}"


def _travel(exchange: Exchange) -> str:
    if exchange.origin is exchange.target:
        return f"{exchange.origin['id']} arrives: {exchange.reason}"
    return f"{exchange.origin['id']} --> {exchange.target['id']}: {exchange.reason}"


def _run(node: Node) -> str:
    what = detail(node)
    return f"{node['id']}{f': {what}' if what else ''}{_at(node)}"


def _store(node: Node) -> str:
    if node["op"] == "process":
        return f"({node['store']['state']}): stream time and schedules of {node['id']}, not queryable"
    name, store = store_name(node), node["store"]
    inputs = ", ".join(node["inputs"])
    made = {"table_copy": f"a copy of {inputs}", "store": f"by {inputs}"}.get(node["op"], f"by {node['id']}")
    if node["op"] in SOURCES:
        made = "each task has all of it" if is_source(node, "global") else f"the table {node['id']}"
    ends = f", entries end {store['ttl']} ms after their time" if store.get("ttl") else ""
    return f"{name}: {made}{ends}" + ("" if store["name"] else ", not queryable")


def _write(node: Node) -> str:
    return f"{topic_name(node)}, from {node['inputs'][0]}{_at(node)}"


def _idle(planned: Topology) -> list[str]:
    """Tell of repartitions that move nothing, because no state comes after them."""
    places = {node["id"]: node["place"] for node in planned["nodes"]}
    idle = [n for n in planned["nodes"] if n["op"] == "repartition" and places[n["inputs"][0]] == n["place"]]
    lines = [f"{node['id']}{_at(node)} moves nothing: no state follows before the next exchange" for node in idle]
    return ["", *lines] if lines else []


def _topics(planned: Topology) -> list[str]:
    nodes = planned["nodes"]
    outputs = dict.fromkeys(topic_name(node) for node in nodes if node["op"] == "to" and isinstance(node["topic"], str))
    logs = [node["store"]["changelog"] for node in nodes if (node.get("store") or {}).get("changelog")]
    late = dict.fromkeys(node["late"] for node in nodes if node.get("late") and node["late"] not in outputs)
    created = [*(f"{topic} (output)" for topic in outputs), *(f"{topic} (late records)" for topic in late)]
    created += [f"{log} (compacted)" for log in logs]
    created.append(f"{planned['app']}-dead-letters (records that could not be processed)")
    if any(node["op"] == "source" for node in nodes):
        created.append(f"{planned['app']}-replay (those of them that are put back)")
    created.append(f"{planned['app']}-meta (what replicas have to know)")
    created.append(f"{planned['app']}-markers (which output is written)")
    created.append(f"{planned['app']}-epochs (how far each epoch read)")
    return ["topics created when missing", *(f"  {topic}" for topic in created)]
