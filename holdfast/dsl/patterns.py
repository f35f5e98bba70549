"""Patterns: what the records of a key do one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.dsl.columns import Expression
from holdfast.dsl.lambdas import expression, step_scope
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.nodes import Node
from holdfast.topology.patterns import Step, step_type
from holdfast.types import DataType

_TAKEN = ("key", "value")


@dataclass(frozen=True)
class StepSpec:
    """A step: one record, several, or none, for which a condition is true."""

    kind: str
    condition: object
    n: int = 1
    at_least: bool = False


@dataclass(frozen=True)
class Pattern:
    """Steps that the records of a key match one after the other, made by `hf.sequence`."""

    steps: tuple[tuple[str, StepSpec], ...]
    strict: bool
    overlap: bool


def sequence(*, strict: bool = False, overlap: bool = False, **steps: object) -> Pattern:
    """Steps that follow each other, each a condition that may look at the records of earlier ones.

    >>> import holdfast as hf
    >>> app = hf.App("bank")
    >>> payments = app.stream("payments", "amount DOUBLE", key=str)
    >>> drained = hf.sequence(probe=lambda p: p.amount < 1, drain=lambda p, *, probe: p.amount > 100 * probe.amount)
    >>> print(payments.group_by_key().match(drained, within="10 minutes").schema)
    key: STRING
    value: STRUCT<probe: STRUCT<amount: DOUBLE>, drain: STRUCT<amount: DOUBLE>>
    """
    wanted = tuple(
        (name, each if isinstance(each, StepSpec) else StepSpec("one", each)) for name, each in steps.items()
    )
    pattern = Pattern(wanted, bool(strict), bool(overlap))
    wrong = _wrong_names(list(steps)) or _wrong_absence(pattern)
    if wrong:
        raise TopologyError(f"sequence: {wrong}", at=user_position())
    return pattern


def repeat(condition: Callable[..., object] | str | Expression, times: int, *, at_least: bool = False) -> StepSpec:
    """A step of so many records, or with `at_least` of so many and more; the match holds them as an array.

    >>> import holdfast as hf
    >>> logins = hf.App("door").stream("logins", "ok BOOLEAN", key=str)
    >>> guessed = hf.sequence(tries=hf.repeat(lambda t: ~t.ok, 3, at_least=True), entry="ok")
    >>> print(logins.group_by_key().match(guessed, within="1 minute").schema)
    key: STRING
    value: STRUCT<tries: ARRAY<STRUCT<ok: BOOLEAN>>, entry: STRUCT<ok: BOOLEAN>>
    """
    _refuse_step("repeat", condition)
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise TopologyError(f"repeat: times must be a whole number from 1, not {times!r}", at=user_position())
    return StepSpec("times", condition, times, bool(at_least))


def absent(condition: Callable[..., object] | str | Expression) -> StepSpec:
    """A step without a record: none for which the condition is true, until the next step or the end of the time.

    >>> import holdfast as hf
    >>> orders = hf.App("shop").stream("orders", "state STRING", key=str)
    >>> unpaid = hf.sequence(order=lambda o: o.state == "new", payment=hf.absent(lambda o: o.state == "paid"))
    >>> print(orders.group_by_key().match(unpaid, within="1 day").schema)
    key: STRING
    value: STRUCT<order: STRUCT<state: STRING>>
    """
    _refuse_step("absent", condition)
    return StepSpec("absent", condition)


def _refuse_step(name: str, condition: object) -> None:
    if isinstance(condition, StepSpec):
        raise TopologyError(
            f"{name}: a condition was wanted, another step came; give a lambda or a field", at=user_position()
        )


def _wrong_names(names: list[str]) -> str | None:
    if not names:
        return "a pattern has at least one step: hf.sequence(first=lambda r: r.amount > 100)"
    taken = next((name for name in names if name in _TAKEN), None)
    if taken:
        return f"a step cannot be called {taken!r}, which is what its condition reads; choose another name"
    lowered = [name.lower() for name in names]
    twice = next((name for name in names if lowered.count(name.lower()) > 1), None)
    return f"two steps are called {twice!r} but for capital letters; choose other names" if twice else None


def _wrong_absence(pattern: Pattern) -> str | None:
    kinds = [each.kind for _, each in pattern.steps]
    if kinds[0] == "absent":
        return f"the first step, {pattern.steps[0][0]!r}, is absent(...); a match begins with a record"
    last = max(index for index, kind in enumerate(kinds) if kind != "absent")
    between = next((name for name, each in pattern.steps[:last] if each.kind == "absent"), None)
    if pattern.strict and between:
        return f"step {between!r} is absent(...), but strict=True leaves no record between two steps; leave out one"
    return None


def bound_steps(pattern: object, group: Node) -> tuple[Step, ...]:
    """The steps with their conditions read for the records of a group."""
    if not isinstance(pattern, Pattern):
        raise TopologyError(f"match wants a pattern, {pattern!r} came; use hf.sequence(...)", at=user_position())
    earlier: dict[str, DataType] = {}
    steps = []
    for name, wanted in pattern.steps:
        steps.append(_bound(name, wanted, group, earlier))
        if wanted.kind != "absent":
            earlier[name] = step_type(wanted.kind, group.value_type)
    return tuple(steps)


def _bound(name: str, wanted: StepSpec, group: Node, earlier: dict[str, DataType]) -> Step:
    tree = expression(wanted.condition, step_scope(group, dict(earlier)), f"the condition of step {name!r}")
    sees = tuple(each for each in earlier if each in _slots(tree))
    return Step(name=name, kind=wanted.kind, condition=tree, sees=sees, n=wanted.n, at_least=wanted.at_least)


def _slots(part: object) -> set[str]:
    """The slots that a tree reads."""
    if isinstance(part, list):
        return {slot for each in part for slot in _slots(each)}
    if not isinstance(part, dict):
        return set()
    return {part["slot"]} if "slot" in part else _slots([each for name, each in part.items() if name != "lit"])
