"""Operations that make tables, and those on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from tests.oracle import folds, words
from tests.oracle.program import Program, Var, apart, crossed, repartitioned, several, with_key
from tests.oracle.step import Draw, Step
from tests.oracle.words import MIXED, REC


def to_table(draw: Draw, program: Program, var: Var) -> None:
    new = replace(crossed(var, program), name=program.name("t"), form="table")
    program.add(new, f"{var.name}.to_table({program.store(new.name)})")


def aggregate(draw: Draw, program: Program, var: Var) -> None:
    group, new = folds.grouped(draw, program, var)
    fold = folds.chosen(draw, new)
    new = _table(program, new, fold.value)
    program.add(new, f"{var.name}.{group}.{fold.text(program.store(new.name))}")


def _table(program: Program, var: Var, value: str) -> Var:
    # Where the order of a key's records is open, only what is told last is not.
    widened = var.widened or value in (MIXED, "mixeds")
    return replace(
        var, name=program.name("t"), form="table", value=value, compacted=var.jumbled, jumbled=False, widened=widened
    )


def windowed(draw: Draw, program: Program, var: Var) -> None:
    _windowed(draw, program, var, ["tumbling", "hopping"])


def sliding(draw: Draw, program: Program, var: Var) -> None:
    _windowed(draw, program, var, ["sliding"])


def session(draw: Draw, program: Program, var: Var) -> None:
    _windowed(draw, program, var, ["session"])


def _windowed(draw: Draw, program: Program, var: Var, kinds: list[str]) -> None:
    kind = draw(st.sampled_from(kinds))
    window, final = _window(draw, program, kind)
    group, new = folds.grouped(draw, program, var, windowed=True)
    fold = folds.chosen(draw, new, kind == "session")
    late = _late(draw, program, new, shown=kind != "sliding" and not fold.call.startswith("reduce"))
    new = _of_windows(_table(program, new, fold.value), kind, final)
    program.add(new, f"{var.name}.{group}.windowed_by({window}{late}).{fold.text(program.window_store(new.name))}")


def _late(draw: Draw, program: Program, var: Var, shown: bool) -> str:
    """A topic for late records, one time of two; the judge does not see those of sliding windows and a reduce."""
    if draw(st.booleans()):
        return ""
    topic = f"late-{len(program.lines)}"
    if shown:
        # Ours says in headers which window had closed.
        program.outputs[topic] = replace(var, form="stream", headless=True)
    return f", late=p + '{topic}'"


def _of_windows(var: Var, kind: str, final: bool) -> Var:
    # A final result has the headers of its own last record: test_differences.py.
    scattered, headless = var.scattered or final, var.headless or kind == "session" or final
    new = replace(var, key="w" + var.key, closes=not final, final=final, scattered=scattered, headless=headless)
    # In which order sessions that grow together are merged is open.
    new = replace(new, inexact=var.inexact or kind == "session")
    return replace(new, forgets=kind in ("session", "sliding"))


def _window(draw: Draw, program: Program, kind: str, may_be_final: bool = True) -> tuple[str, bool]:
    length = {
        "tumbling": ["'5 ms'", "'10 ms'"],
        "hopping": ["'6 ms', advance='2 ms'", "'10 ms', advance='4 ms'"],
        "sliding": ["'3 ms'", "'8 ms'"],
        "session": ["'2 ms'", "'6 ms'"],
    }[kind]
    emit = draw(
        st.sampled_from([program.emit, program.emit, "final"] if may_be_final and program.closing else [program.emit])
    )
    grace = draw(st.sampled_from(["", ", grace='4 ms'", ", grace='30 ms'"]))
    return f"hf.{kind}({draw(st.sampled_from(length))}{grace}, emit='{emit}')", emit == "final"


def groups(program: Program, var: Var) -> list[Var]:
    """The streams that may be aggregated together with a stream."""
    found = (v for v in program.variables if v.form == "stream" and v.key == var.key and v.name != var.name)
    return [v for v in found if not v.compacted and not v.jumbled and apart(v, var)]


def cogroup(draw: Draw, program: Program, var: Var) -> None:
    _cogroup(draw, program, var, None)


def windowed_cogroup(draw: Draw, program: Program, var: Var) -> None:
    _cogroup(draw, program, var, draw(st.sampled_from(["tumbling", "hopping", "sliding", "session"])))


def _cogroup(draw: Draw, program: Program, var: Var, kind: str | None) -> None:
    other = draw(st.sampled_from(groups(program, var)))
    program.use(other)
    state = draw(st.sampled_from([REC, REC, *folds.RECORDS]))
    write = folds.functions(draw, REC) if state == REC else folds.as_lambda
    adds = [_added(draw, v, write, state) for v in (var, other)]
    mine, its = crossed(var, program), crossed(other, program)
    new = replace(
        mine,
        name=program.name("t"),
        form="table",
        value=state,
        ways=mine.ways | its.ways,
        scattered=var.scattered or other.scattered,
        headless=var.headless or other.headless,
        several=several(var, other),
        inexact=var.inexact or other.inexact,
        widened=state == MIXED,
    )
    window, merge, store = "", "", program.store(new.name)
    if kind:
        window = f".windowed_by({_window(draw, program, kind, may_be_final=False)[0]})"
        store, new = program.window_store(new.name), replace(_of_windows(new, kind, final=False), closed=True)
    if kind == "session":
        both = "dict(a=l.a + r.a, b=F.concat(l.b, r.b))" if state == REC else folds.merged(state)
        merge = f"merge={write('l, r', both)}, "
    begin = "dict(a=0, b='')" if state == REC else draw(st.sampled_from(folds.RECORDS[state]))
    program.add(new, f"hf.cogroup({', '.join(adds)}){window}.aggregate({begin}, {merge}{store})")


def _added(draw: Draw, var: Var, write: Callable[[str, str], str], state: str) -> str:
    if state != REC:
        return f"({var.name}.group_by_key(), lambda k, s, v: {folds.grown(draw, var, state)[0]})"
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    grown = f"dict(a=s.a + F.coalesce({number}, F.lit(1)), b=F.concat(s.b, F.coalesce({text}, F.lit('-'))))"
    return f"({var.name}.group_by_key(), {write('k, s, v', grown)})"


def table_filter(draw: Draw, program: Program, var: Var) -> None:
    predicate = draw(words.predicates(var.key, var.value))
    program.add(replace(var, name=program.name("t")), f"{var.name}.filter(lambda k, v: {predicate})")


def table_map_values(draw: Draw, program: Program, var: Var) -> None:
    value, v = draw(words.values(var.key, var.value))
    name = program.name("t")
    store = f", {program.store(name)}" if draw(st.booleans()) else ""
    stored = {"versioned": False, "final": False, "closed": False} if store else {}
    new = replace(var, name=name, value=value, **stored)
    program.add(new, f"{var.name}.map_values(lambda k, v: {v}{store})")


def table_group_by(draw: Draw, program: Program, var: Var) -> None:
    key, k = draw(words.keys(var.key, var.value))
    fold = folds.subtractable(draw, var)
    new = repartitioned(with_key(var, key), program)
    # Kafka Streams has no word on what a group says whose order of changes is open.
    new = _table(program, replace(new, jumbled=False), fold.value)
    # Kafka Streams' sums take back what left the group; ours may add up what is in it.
    new = replace(new, closes=False, final=False, versioned=False, closed=False, roots=frozenset(), inexact=True)
    # A record is in several windows, whose entries may be of one group.
    new = replace(new, several=var.several or var.key in words.WINDOWED)
    program.add(new, f"{var.name}.group_by(lambda k, v: {k}).{fold.text(program.store(new.name))}")


def suppress_until_window_closes(draw: Draw, program: Program, var: Var) -> None:
    bound = draw(st.sampled_from(["", "max_records=1000"]))
    new = replace(var, name=program.name("t"), closes=False, final=True, scattered=True)
    program.add(new, f"{var.name}.suppress(hf.until_window_closes({bound}))")


def suppress_until_time(draw: Draw, program: Program, var: Var) -> None:
    # What a full buffer lets go depends on the order in which it was filled.
    bound = "" if var.scattered else draw(st.sampled_from(["", ", max_records=2, on_full='emit'"]))
    new = replace(var, name=program.name("t"), scattered=True, suppressed=True)
    program.add(new, f"{var.name}.suppress(hf.until_time('{draw(st.sampled_from([0, 3, 8]))} ms'{bound}))")


def to_stream(draw: Draw, program: Program, var: Var) -> None:
    compacted = var.compacted or program.thins(var)
    new = replace(var, name=program.name("s"), form="stream", compacted=compacted, closes=False, final=False)
    new = replace(new, unkept=False, suppressed=False)
    new = replace(new, roots=frozenset(), versioned=False, forgets=False, closed=False)
    program.add(new, f"{var.name}.to_stream()")


def _tells_before(program: Program, var: Var) -> bool:
    return not (var.forgets or var.unkept)


STEPS = [
    Step("to_table", "stream", to_table, compacted=True, weight=2),
    Step("aggregate", "stream", aggregate, jumbled=True, weight=4),
    Step("windowed", "stream", windowed, weight=4),
    Step("sliding", "stream", sliding, weight=2),
    Step("session", "stream", session, weight=3),
    Step("cogroup", "stream", cogroup, fits=lambda program, var: bool(groups(program, var)), weight=4),
    Step(
        "windowed cogroup", "stream", windowed_cogroup, fits=lambda program, var: bool(groups(program, var)), weight=4
    ),
    Step("table_filter", "table", table_filter, compacted=True, past=True, fits=_tells_before, weight=2),
    Step("table_map_values", "table", table_map_values, compacted=True, past=True, weight=2),
    Step(
        "table_group_by",
        "table",
        table_group_by,
        past=True,
        fits=lambda program, var: not (var.scattered or var.forgets),
        weight=3,
    ),
    Step(
        "suppress until window closes",
        "table",
        suppress_until_window_closes,
        compacted=True,
        fits=lambda program, var: var.closes and program.closing,
        weight=4,
    ),
    Step(
        "suppress until time",
        "table",
        suppress_until_time,
        fits=lambda program, var: program.emit == "every" and program.closing,
        weight=2,
    ),
    Step("to_stream", "table", to_stream, compacted=True, past=True, weight=2),
]
