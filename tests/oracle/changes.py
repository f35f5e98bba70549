"""A changed program: what differs in its text, and what of its answer a change leaves as it would always have been."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from holdfast.topology.graph import Topology
from holdfast.topology.nodes import Node
from tests.oracle.program import Program

_STORE = re.compile(r"p \+ '(t\d+)'")
_LITERAL = re.compile(r"(?<=[ (\[])\d+(?=[ ),\]])|(?<=F\.lit\(')[a-z]+(?='\))")
_FILTER = re.compile(r"\.filter(_not)?\(")
_DEFINED = re.compile(r"(\w+) = ")
_SOURCE = re.compile(r"app\.(stream|table|global_table)\(")


@st.composite
def changed(draw: st.DrawFn, program: Program) -> Program:
    """The program with one or two changes: steps that are missing, another name, another number, another filter."""
    lines = list(program.lines)
    for _ in range(draw(st.integers(1, 2))):
        lines = draw(st.sampled_from(CHANGES))(draw, lines)
    return replace(program, lines=lines)


def _without_a_step(draw: st.DrawFn, lines: list[str]) -> list[str]:
    """Without a step that nothing but an output reads, and without that output."""
    names = [match[1] for line in lines if (match := _DEFINED.match(line)) and not _SOURCE.search(line)]
    last = [name for name in names if not any(_reads(line, name) and " = " in line for line in lines)]
    if not last:
        return lines
    gone = draw(st.sampled_from(last))
    return [line for line in lines if not line.startswith(f"{gone} = ") and not _reads(line, gone)]


def _reads(line: str, name: str) -> bool:
    return bool(re.search(rf"(?<!')\b{name}\b(?! = )(?!')", line))


def _renamed(draw: st.DrawFn, lines: list[str]) -> list[str]:
    return _replaced(draw, lines, _STORE, lambda found: f"p + '{found[1]}-renamed'")


def _with_another_literal(draw: st.DrawFn, lines: list[str]) -> list[str]:
    return _replaced(draw, lines, _LITERAL, lambda found: str(int(found[0]) + 1) if found[0].isdigit() else "zz")


def _filtered_otherwise(draw: st.DrawFn, lines: list[str]) -> list[str]:
    return _replaced(draw, lines, _FILTER, lambda found: ".filter(" if found[1] else ".filter_not(")


def _replaced(draw: st.DrawFn, lines: list[str], pattern: re.Pattern[str], by: Any) -> list[str]:
    """One of the places where the pattern is, replaced; what a function in Python does is not part of a plan."""
    shown = [(number, line) for number, line in enumerate(lines) if "py(" not in line or pattern is _STORE]
    places = [(number, found) for number, line in shown for found in pattern.finditer(line)]
    if not places:
        return lines
    number, found = draw(st.sampled_from(places))
    line = lines[number]
    return [*lines[:number], line[: found.start()] + by(found) + line[found.end() :], *lines[number + 1 :]]


CHANGES = [_without_a_step, _renamed, _renamed, _with_another_literal, _filtered_otherwise]


def begun_anew(old: Topology, new: Topology) -> set[str]:
    """The nodes whose answer may differ from that on all input, because a state begins with the second part.

    That is what is said of states made of a *stream*: a new one starts empty, one that is made otherwise keeps its
    values. What is made of a table's rows has no such excuse: it differs only where its table does.
    """
    before = _states(old)
    digests: dict[str, Any] = {}
    anew: set[str] = set()
    for node in new.nodes:
        digests[node.id] = _digest(node, digests)
        if any(each.id in anew for each in node.inputs) or _begins(node, digests, before):
            anew.add(node.id)
    return anew


def _begins(node: Node, digests: dict[str, Any], before: dict[str, Any]) -> bool:
    of_rows = node.is_made_of_rows or node.reads
    return bool(node.store and not of_rows and before.get(node.store.state) != digests[node.id])


def _states(topology: Topology) -> dict[str, Any]:
    digests: dict[str, Any] = {}
    for node in topology.nodes:
        digests[node.id] = _digest(node, digests)
    return {node.store.state: digests[node.id] for node in topology.nodes if node.store}


def _digest(node: Node, digests: dict[str, Any]) -> Any:
    return repr((node.structure(), [digests[each.id] for each in node.inputs]))
