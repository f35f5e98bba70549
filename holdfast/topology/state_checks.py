"""Checks of the functions of an aggregate: whether their types fit its state, and whether states can be merged."""

from __future__ import annotations

from holdfast.topology.infer import E, infer
from holdfast.topology.nodes import Node
from holdfast.topology.widening import Mismatch, Paths, mismatch
from holdfast.topology.windowing import Windowing
from holdfast.types import DataType

_WANTED = "sessions grow together, so it must be said what two states become; give merge=lambda left, right: ..."


def present(**functions: E | None) -> dict[str, E]:
    """The functions that are there, as the plan carries them."""
    return {name: each for name, each in functions.items() if each is not None}


def state_mismatch(what: str, made: DataType, state: DataType, declared: Paths = ((),)) -> str | None:
    """Say what is wrong with a function that makes something that the state cannot hold."""
    wrong = mismatch(made, state)
    if wrong is None or (may_widen(wrong) and not any(wrong.path[: len(path)] == path for path in declared)):
        return None
    came, wanted = type_words(wrong, wrong.made), type_words(wrong, wrong.wanted)
    return f"{wrong.where}{what} gives {came}, the state is {wanted}{way_out(wrong)}"


def type_words(wrong: Mismatch, type_: DataType) -> str:
    """A type in words; of two numbers it matters how wide they are."""
    return str(type_) if may_widen(wrong) else type_.in_words()


def may_widen(wrong: Mismatch) -> bool:
    """Whether both are numbers: then there may be a type for both, which Spark knows."""
    return wrong.made.is_number and wrong.wanted.is_number


def way_out(wrong: Mismatch) -> str:
    """What to do about a type that cannot hold another."""
    if not may_widen(wrong):
        return ""
    wanted = str(wrong.wanted)
    return f", which would lose digits; declare a type that holds both, or write F.cast(x, {wanted.lower()!r})"


def merge_mistake(
    node: Node, merge: E | None, state: DataType, windowing: Windowing | None, declared: Paths = ((),)
) -> str | None:
    """Say what is wrong with merge=: sessions need it, nothing else does."""
    sessions = windowing is not None and windowing.window["kind"] == "session"
    if merge is None:
        return _WANTED if sessions else None
    if not sessions:
        return "merge= is for sessions, where two states may become one; leave it out"
    slots = {"key": node.inputs[0].key_type, "left": state, "right": state}
    return state_mismatch("merge", infer(merge, slots), state, declared)
