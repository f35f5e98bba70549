"""Functions that make a state: whether they fit it, and whether two states of a key can become one."""

from __future__ import annotations

from holdfast.topics.types import T
from holdfast.topology import shapes
from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node
from holdfast.topology.windowing import Windowing

_WANTED = "sessions grow together, so it must be said what two states become; give merge=lambda left, right: ..."


def given(**functions: E | None) -> dict[str, E]:
    """The functions that are there, as the plan carries them."""
    return {name: each for name, each in functions.items() if each is not None}


def state_mismatch(what: str, made: T, state: T) -> str | None:
    """Say what is wrong with a function that makes something else than the state."""
    if shapes.is_record(state) and shapes.is_record(made):
        wanted, came = shapes.field_names(state), shapes.field_names(made)
        same = set(wanted) == set(came)
        return None if same else f"{what} gives record({', '.join(came)}), the state is record({', '.join(wanted)})"
    fits = shapes.same_shape(made, state) or numbers(made, state)
    return None if fits else f"{what} gives {shapes.plain(made)}, the state is {shapes.plain(state)}"


def numbers(one: T, other: T) -> bool:
    """Whether both are numbers, so that one is cast to the other."""
    return shapes.is_number(one) and shapes.is_number(other)


def merge_mistake(node: Node, merge: E | None, state: T, windowing: Windowing | None) -> str | None:
    """Say what is wrong with merge=: sessions need it, nothing else does."""
    sessions = windowing is not None and windowing.window["kind"] == "session"
    if merge is None:
        return _WANTED if sessions else None
    if not sessions:
        return "merge= is for sessions, where two states may become one; leave it out"
    slots = {"key": node.inputs[0].key_type, "left": state, "right": state}
    return state_mismatch("merge", infer(merge, slots), state)
