"""Joins of streams and tables."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tests.oracle import folds, words
from tests.oracle.program import Program, Var, apart, crossed, meet, repartitioned, several
from tests.oracle.step import Draw, Step
from tests.oracle.words import FIELDS, PAIR, REC, STR, WIDE


def tables(program: Program, var: Var) -> list[Var]:
    """The tables that a stream may be joined with by its key."""
    found = (v for v in program.variables if v.form == "table" and v.key == var.key)
    return [v for v in found if not v.compacted and not v.closed and meet(v, crossed(var, program))]


def join(draw: Draw, program: Program, var: Var) -> None:
    table = draw(st.sampled_from(tables(program, var)))
    program.use(table)
    value, text = _joined(draw, var, table, ["join", "left_join"])
    new = replace(
        crossed(var, program), name=program.name("s"), value=value, scattered=var.scattered or table.scattered
    )
    program.add(replace(new, inexact=var.inexact or table.inexact), f"{var.name}.{text})")


def pasts(program: Program, var: Var) -> list[Var]:
    """The versioned tables that a stream may be joined with by its key."""
    return [v for v in tables(program, var) if v.versioned]


def join_with_grace(draw: Draw, program: Program, var: Var) -> None:
    table = draw(st.sampled_from(pasts(program, var)))
    program.use(table)
    value, text = _joined(draw, var, table, ["join", "left_join"])
    new = replace(crossed(var, program), name=program.name("s"), value=value, scattered=True)
    # Kafka Streams ends with an error on a record without a key here: test_differences.py.
    program.add(
        new, f"{var.name}.filter(lambda k, v: ~F.isnull(k)).{text}, grace='{draw(st.sampled_from([0, 3, 10]))} ms')"
    )


def globals_(program: Program, var: Var) -> list[Var]:
    """The global tables."""
    return [v for v in program.variables if v.form == "global"]


def join_global(draw: Draw, program: Program, var: Var) -> None:
    table = draw(st.sampled_from(globals_(program, var)))
    on = draw(words.strs(var.value, "v") if table.key == STR else words.perhaps_failing(var.value, "v"))
    if table.key == var.key:
        on = draw(st.sampled_from([on, "k"]))
    value, text = _joined(draw, var, table, ["join", "left_join"])
    program.add(replace(var, name=program.name("s"), value=value), f"{var.name}.{text}, on=lambda k, v: {on})")


def streams(program: Program, var: Var) -> list[Var]:
    """The streams that a stream may be joined with: not one that comes from another repartition of the same records."""
    found = (
        v for v in program.variables if v.form == "stream" and v.key == var.key and not v.compacted and not v.jumbled
    )
    return [
        v
        for v in found
        if (v.name == var.name and not var.rekeyed) or (v.name != var.name and _in_step(program, v, var))
    ]


def _in_step(program: Program, a: Var, b: Var) -> bool:
    return apart(a, b) or (not a.rekeyed and not b.rekeyed and meet(a, b))


def stream_join(draw: Draw, program: Program, var: Var) -> None:
    other = draw(st.sampled_from(streams(program, var)))
    program.use(other)
    value, text = _joined(draw, var, other, ["join", "left_join", "outer_join"] if program.closing else ["join"])
    within = f"'{draw(st.sampled_from([2, 5]))} ms'"
    if draw(st.booleans()):
        before, after, grace = draw(st.tuples(*[st.sampled_from([0, 1, 4, 8])] * 3).filter(any))
        within = f"hf.JoinWindow(before='{before} ms', after='{after} ms', grace='{grace} ms')"
    mine, its = crossed(var, program), crossed(other, program)
    new = replace(mine, name=program.name("s"), value=value, ways=mine.ways | its.ways, scattered=True, several=True)
    # What is emitted unmatched has its own headers: test_differences.py. With late= it is not joined afterwards.
    inner = text.startswith("join(")
    headless = var.headless or other.headless or not inner
    new = replace(new, headless=headless, inexact=var.inexact or other.inexact)
    late = f", late=p + 'late-{new.name}'" if inner and draw(st.booleans()) else ""
    program.add(new, f"{var.name}.{text}, within={within}{late})")


def other_tables(program: Program, var: Var) -> list[Var]:
    """The tables that a table may be joined with by its key."""
    found = (v for v in program.variables if v.form == "table" and v.name != var.name and not v.versioned)
    # A table joined with itself differs on purpose: test_differences.py.
    found = (v for v in found if v.key == var.key and not (v.forgets or var.forgets or v.closed or var.closed))
    return [v for v in found if meet(v, var) and not v.roots & var.roots]


def table_join(draw: Draw, program: Program, var: Var) -> None:
    other = draw(st.sampled_from(other_tables(program, var)))
    program.use(other)
    value, text = _joined(draw, var, other, ["join", "left_join", "outer_join"], keyed=False)
    program.add(_of_both(program, var, other, value), f"{var.name}.{text}{_store(draw, program)})")


def foreign(program: Program, var: Var) -> list[Var]:
    """The tables that a table may be joined with by a foreign key; Kafka Streams cannot join windows in this way."""
    if var.key in words.WINDOWED:
        return []
    found = (v for v in program.variables if v.form == "table" and not v.versioned and v.key not in words.WINDOWED)
    return [v for v in found if apart(v, var) and not (var.forgets or var.suppressed)]


def fk_join(draw: Draw, program: Program, var: Var) -> None:
    other = draw(st.sampled_from(foreign(program, var)))
    program.use(other)
    on = draw(words.strs(var.value, "v") if other.key == STR else words.ints(var.value, "v"))
    value, text = _joined(draw, var, other, ["join", "left_join"], keyed=False)
    made = replace(repartitioned(_of_both(program, var, other, value), program), scattered=True)
    # An answer that comes when the row has changed again is dropped; which one that is, is a matter of time.
    made = replace(made, compacted=made.compacted or var.several)
    store = _store(draw, program)
    program.add(replace(made, unkept=not store), f"{var.name}.{text}, on=lambda v: {on}{store})")


def _of_both(program: Program, var: Var, other: Var, value: str) -> Var:
    return replace(
        var,
        name=program.name("t"),
        value=value,
        ways=var.ways | other.ways,
        compacted=var.compacted or other.compacted,
        roots=var.roots | other.roots,
        scattered=var.scattered or other.scattered,
        headless=var.headless or other.headless,
        several=several(var, other),
        unkept=var.unkept or other.unkept,
        suppressed=var.suppressed or other.suppressed,
        inexact=var.inexact or other.inexact,
        closes=False,
        final=False,
    )


def _store(draw: Draw, program: Program) -> str:
    return f", {program.store(program.name('t'))}" if draw(st.booleans()) else ""


def _joined(draw: Draw, left: Var, right: Var, methods: list[str], keyed: bool = True) -> tuple[str, str]:
    method = draw(st.sampled_from(methods))
    if {left.value, right.value} == {REC, PAIR} and draw(st.booleans()):
        return WIDE, f"{method}({right.name}"
    sides = [(left.value, "l"), (right.value, "r")]
    fails = draw(st.integers(0, 7)) == 0 and keyed
    number = draw(st.one_of(*((words.failing if fails else words.ints)(*side) for side in sides)))
    text = draw(st.one_of(*(words.strs(*side) for side in [*sides, *([(left.key, "k")] if keyed else [])])))
    kind = draw(st.sampled_from([REC, PAIR]))
    first, second = FIELDS[kind]
    write = folds.as_lambda if fails else folds.functions(draw, kind)
    joiner = write("k, l, r" if keyed else "l, r", f"dict({first}={number}, {second}={text})")
    return kind, f"{method}({right.name}, {joiner}"


STEPS = [
    Step("join", "stream", join, fits=lambda program, var: bool(tables(program, var)), weight=3),
    Step("join global", "stream", join_global, fits=lambda program, var: bool(globals_(program, var)), weight=4),
    Step("join with grace", "stream", join_with_grace, fits=lambda program, var: bool(pasts(program, var)), weight=4),
    Step("stream_join", "stream", stream_join, fits=lambda program, var: bool(streams(program, var)), weight=3),
    Step(
        "table_join",
        "table",
        table_join,
        compacted=True,
        fits=lambda program, var: bool(other_tables(program, var)),
        weight=8,
    ),
    Step("fk_join", "table", fk_join, compacted=True, fits=lambda program, var: bool(foreign(program, var)), weight=8),
]
