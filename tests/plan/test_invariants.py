"""What holds for the plan of any program."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

from hypothesis import given, settings

from holdfast.plan.changes import compare
from holdfast.plan.explain import explain
from holdfast.plan.planner import plan
from holdfast.plan.recorded_plan import state_stages
from holdfast.topology.describe import describe
from holdfast.topology.document_reader import read
from holdfast.topology.picture import mermaid, svg
from tests.plan.random_programs import programs

KEYED = ("count", "to_table", "table_copy", "fk_lookup", "fk_join")
REKEYING = ("select_key", "group_by", "fk_subscribe", "fk_lookup")
READ = {"join": [1], "fk_lookup": [1], "table_join": [0, 1]}


def from_topic(node, origin):
    """Tell of a copy by key of a global table: it comes from the topic, not from where the table is kept."""
    return node["op"] == "table_copy" and origin.get("kind") == "global"


def in_task_of_key(planned):
    """Follow records through the plan as it would run: is each, where it is now, in the task of its key?"""
    nodes = {n["id"]: n for n in planned["nodes"]}
    state = {}

    def arrives(origin, node):
        return nodes[origin]["place"] < node["place"] or state[origin] or from_topic(node, nodes[origin])

    for node in planned["nodes"]:
        inputs = node["inputs"][:1] if node["op"] in ("join", "fk_lookup") else node["inputs"]
        if node["op"] == "source":
            state[node["id"]] = node["kind"] == "table"
        else:
            state[node["id"]] = all(arrives(i, node) for i in inputs) and node["op"] not in REKEYING
    return state, arrives


@given(programs())
@settings(max_examples=100, deadline=None)
def test_state_only_meets_records_in_the_task_of_their_key(program):
    planned = program.document()
    _, arrives = in_task_of_key(planned)
    for node in planned["nodes"]:
        if node["op"] in KEYED or (node["op"] == "join" and node["with"] == "table"):
            assert arrives(node["inputs"][0], node), node["id"]


@given(programs())
@settings(max_examples=100, deadline=None)
def test_records_never_go_back_and_are_defined_before_they_are_read(program):
    planned = program.document()
    seen = {}
    for node in planned["nodes"]:
        assert all(seen[i]["place"] <= node["place"] or from_topic(node, seen[i]) for i in node["inputs"])
        seen[node["id"]] = node


@given(programs())
@settings(max_examples=100, deadline=None)
def test_a_join_finds_its_table_in_its_own_stage(program):
    planned = program.document()
    nodes = {n["id"]: n for n in planned["nodes"]}
    for node in planned["nodes"]:
        for position in READ.get(node["op"], []):
            table = nodes[node["inputs"][position]]
            assert node["place"] in table.get("places", [table["place"]])
            assert node["place"] >= 0


@given(programs())
@settings(max_examples=100, deadline=None)
def test_a_table_meets_a_table_in_the_task_of_its_key(program):
    planned = program.document()
    nodes = {n["id"]: n for n in planned["nodes"]}
    state, _ = in_task_of_key(planned)
    for node in planned["nodes"]:
        if node["op"] in ("fk_lookup", "table_join"):
            tables = [node["inputs"][i] for i in READ[node["op"]]]
            assert all(state[i] and nodes[i].get("kind") != "global" for i in tables)


@given(programs())
@settings(max_examples=100, deadline=None)
def test_every_stage_has_state_and_all_state_has_a_stage(program):
    planned = program.document()
    stateful = [n for n in planned["nodes"] if n.get("store")]
    held = {s for n in stateful for s in n.get("places", [n["place"]])}
    assert held - {-1} == set(range(planned["stages"]))
    assert all(n["place"] >= 0 or n.get("places") == [] for n in stateful)
    assert all(-1 <= n["place"] < planned["stages"] for n in planned["nodes"])


@given(programs())
@settings(max_examples=100, deadline=None)
def test_no_two_nodes_share_a_state_or_a_name_and_none_of_the_program_is_lost(program):
    planned = program.document()
    ids = [n["id"] for n in planned["nodes"]]
    states = [n["store"]["state"] for n in planned["nodes"] if n.get("store")]
    assert len(ids) == len(set(ids))
    assert len(states) == len(set(states))
    lost = {node.id for node in program.nodes} - set(ids)
    views = {node.id for node in program.nodes if node.is_view}
    assert lost <= views


@given(programs())
@settings(max_examples=100, deadline=None)
def test_a_program_fits_its_own_record_and_keeps_its_stages(program):
    planned = program.document()
    recorded = read(planned)
    again = plan(program.topology, recorded=state_stages(recorded))
    assert again.json() == recorded.json() == planned
    changes = compare(recorded, again, None, None)
    assert (changes.refused, changes.allowed) == ((), ())


@given(programs())
@settings(max_examples=60, deadline=None)
def test_every_program_can_be_described_and_explained(program):
    for topology in (program.topology, program.plan(), read(program.document())):
        assert all(node.id in describe(topology) for node in topology.nodes)
        assert mermaid(topology).startswith("flowchart TD")
    assert explain(program.topology) == explain(read(program.document()))


def boxes_of(root):
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        if rect.get("class") in ("topic", "stream", "table", "global"):
            yield tuple(float(rect.get(k)) for k in ("x", "y", "width", "height"))


def points_of(path):
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path)]
    stops = list(zip(numbers[::2], numbers[1::2], strict=True))
    at = stops[0]
    for line, one, two, end in zip(stops[1::4], stops[2::4], stops[3::4], stops[4::4], strict=True):
        for t in (i / 12 for i in range(13)):
            yield at[0] + (line[0] - at[0]) * t, at[1] + (line[1] - at[1]) * t
            weights = [math.comb(3, k) * t**k * (1 - t) ** (3 - k) for k in range(4)]
            corners = (line, one, two, end)
            yield tuple(sum(w * c[axis] for w, c in zip(weights, corners, strict=True)) for axis in (0, 1))
        at = end


@given(programs())
@settings(max_examples=60, deadline=None)
def test_no_box_of_a_picture_touches_another_and_no_edge_passes_through_one(program):
    for topology in (program.topology, program.plan()):
        root = ET.fromstring(svg(topology))
        boxes = [b for b in boxes_of(root) if b[2] != 20]
        for i, (x, y, w, h) in enumerate(boxes):
            assert not any(x < c + e and c < x + w and y < d + f and d < y + h for c, d, e, f in boxes[i + 1 :])
        edges = [p for p in root.iter("{http://www.w3.org/2000/svg}path") if "edge" in (p.get("class") or "")]
        for edge in edges:
            if "h16" in edge.get("d"):
                continue
            for px, py in points_of(edge.get("d")):
                assert not any(x + 1 < px < x + w - 1 and y + 1 < py < y + h - 1 for x, y, w, h in boxes)
