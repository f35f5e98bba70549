"""The operations that a generated program is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.oracle import words
from tests.oracle.program import Program, Var, crossed, meet, repartitioned
from tests.oracle.words import INT, LIST_OF, REC, STATS, STR

Draw = st.DrawFn
Make = Callable[[Draw, Program, Var], None]
STORED = (INT, STR, REC)


@dataclass(frozen=True)
class Step:
    """An operation on a variable of a form; `compacted` says that missing updates do not change what it gives last."""

    form: str
    make: Make
    compacted: bool = False
    fits: Callable[[Program, Var], bool] = lambda program, var: True
    weight: int = 1


def filter_(draw: Draw, program: Program, var: Var) -> None:
    method = draw(st.sampled_from(["filter", "filter_not"]))
    predicate = draw(words.predicates(var.key, var.value))
    program.add(replace(var, name=program.name("s")), f"{var.name}.{method}(lambda k, v: {predicate})")


def map_(draw: Draw, program: Program, var: Var) -> None:
    key, k = draw(words.keys(var.key, var.value))
    value, v = draw(words.values(var.key, var.value))
    new = replace(var, name=program.name("s"), key=key, value=value, rekeyed=True)
    program.add(new, f"{var.name}.map(lambda k, v: ({k}, {v}))")


def map_values(draw: Draw, program: Program, var: Var) -> None:
    value, v = draw(words.values(var.key, var.value))
    program.add(replace(var, name=program.name("s"), value=value), f"{var.name}.map_values(lambda k, v: {v})")


def flat_map(draw: Draw, program: Program, var: Var) -> None:
    key, value = draw(st.sampled_from([STR, INT])), draw(st.sampled_from([STR, INT, REC]))
    number, text = words.ints(var.value, "v"), words.strs(var.value, "v")
    pairs = [
        f"({draw(text if key == STR else number)}, {draw(words.of_kind(value, number, text))})"
        for _ in range(draw(st.integers(1, 3)))
    ]
    new = replace(var, name=program.name("s"), key=key, value=value, rekeyed=True)
    program.add(new, f"{var.name}.flat_map(lambda k, v: [{', '.join(pairs)}])")


def flat_map_values(draw: Draw, program: Program, var: Var) -> None:
    value = draw(st.sampled_from([STR, INT, REC]))
    item = words.of_kind(value, words.ints(var.value, "v"), words.strs(var.value, "v"))
    items = f"[{', '.join(draw(st.lists(item, min_size=1, max_size=3)))}]"
    if draw(st.booleans()):
        items = f"F.when({draw(words.predicates(var.key, var.value))}, {items})"
    program.add(replace(var, name=program.name("s"), value=value), f"{var.name}.flat_map_values(lambda k, v: {items})")


def select_key(draw: Draw, program: Program, var: Var) -> None:
    key, k = draw(words.keys(var.key, var.value))
    program.add(replace(var, name=program.name("s"), key=key, rekeyed=True), f"{var.name}.select_key(lambda k, v: {k})")


def split(draw: Draw, program: Program, var: Var) -> None:
    names = ["first", "second"][: draw(st.integers(1, 2))]
    branches = [f"{name}=lambda k, v: {draw(words.predicates(var.key, var.value))}" for name in names]
    whole = program.name("b")
    program.lines.append(f"{whole} = {var.name}.split({', '.join(branches)})")
    program.variables += [replace(var, name=f"{whole}.{name}") for name in [*names, "rest"]]


def partners(program: Program, var: Var) -> list[Var]:
    """The streams that a stream may be merged with."""
    same = (v for v in program.variables if v.form == "stream" and v.name != var.name and not v.compacted)
    return [v for v in same if (v.key, v.value) == (var.key, var.value) and meet(v, var)]


def merge(draw: Draw, program: Program, var: Var) -> None:
    other = draw(st.sampled_from(partners(program, var)))
    program.use(other)
    new = replace(var, name=program.name("s"), ways=var.ways | other.ways, rekeyed=var.rekeyed or other.rekeyed)
    program.add(new, f"{var.name}.merge({other.name})")


def repartition(draw: Draw, program: Program, var: Var) -> None:
    # Kafka Streams loses records without a key here, ours go on: test_differences.py.
    keyed = f"{var.name}.filter(lambda k, v: ~F.isnull(k))"
    program.add(replace(repartitioned(var, program), name=program.name("s")), f"{keyed}.repartition()")


def to_table(draw: Draw, program: Program, var: Var) -> None:
    new = replace(crossed(var, program), name=program.name("t"), form="table")
    program.add(new, f"{var.name}.to_table({program.store(new.name)})")


def tables(program: Program, var: Var) -> list[Var]:
    """The tables that a stream may be joined with by its key."""
    found = (v for v in program.variables if v.form == "table" and v.key == var.key)
    return [v for v in found if not v.compacted and meet(v, crossed(var, program))]


def join(draw: Draw, program: Program, var: Var) -> None:
    table = draw(st.sampled_from(tables(program, var)))
    program.use(table)
    new = replace(crossed(var, program), name=program.name("s"), value=REC)
    program.add(new, f"{var.name}.{_joined(draw, var, table)})")


def globals_(program: Program, var: Var) -> list[Var]:
    """The global tables."""
    return [v for v in program.variables if v.form == "global"]


def join_global(draw: Draw, program: Program, var: Var) -> None:
    table = draw(st.sampled_from(globals_(program, var)))
    on = draw(words.strs(var.value, "v") if table.key == STR else words.ints(var.value, "v"))
    if table.key == var.key:
        on = draw(st.sampled_from([on, "k"]))
    new = replace(var, name=program.name("s"), value=REC)
    program.add(new, f"{var.name}.{_joined(draw, var, table)}, on=lambda k, v: {on})")


def _joined(draw: Draw, left: Var, right: Var) -> str:
    method = draw(st.sampled_from(["join", "left_join"]))
    sides = [(left.value, "l"), (right.value, "r")]
    number = draw(st.one_of(*(words.ints(*side) for side in sides)))
    text = draw(st.one_of(*(words.strs(*side) for side in [*sides, (left.key, "k")])))
    return f"{method}({right.name}, lambda k, l, r: dict(a={number}, b={text})"


def aggregate(draw: Draw, program: Program, var: Var) -> None:
    group, new = "group_by_key()", crossed(var, program)
    if draw(st.booleans()):
        key, k = draw(words.keys(var.key, var.value))
        group, new = f"group_by(lambda k, v: {k})", replace(repartitioned(var, program), key=key)
    value, call = draw(st.sampled_from(FOLDS))(draw, var)
    name = program.name("t")
    new = replace(new, name=name, form="table", value=value)
    program.add(new, f"{var.name}.{group}.{call}{', ' if call[-1] != '(' else ''}{program.store(name)})")


def count(draw: Draw, var: Var) -> tuple[str, str]:
    return INT, "count("


def reduce_(draw: Draw, var: Var) -> tuple[str, str]:
    if var.value not in STORED:
        return count(draw, var)
    forms = {
        INT: ["o + n", "F.when(o + n < 9, o + n)", "F.when(n > o, n).otherwise(o)"],
        STR: ["F.concat(o, n)", "F.when(n > o, n).otherwise(o)", "F.when(n != o, n)"],
        REC: [
            "dict(a=o.a + n.a, b=n.b)",
            "dict(a=F.coalesce(n.a, o.a), b=F.coalesce(o.b, n.b))",
            "F.when(n.a > o.a, n)",
        ],
    }
    return var.value, f"reduce(lambda o, n: {draw(st.sampled_from(forms[var.value]))}"


def fold(draw: Draw, var: Var) -> tuple[str, str]:
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    if draw(st.booleans()):
        return INT, f"aggregate(0, lambda k, s, v: s + {number}"
    grown = f"dict(a=s.a + F.coalesce({number}, F.lit(1)), b={text})"
    if draw(st.booleans()):
        grown = f"F.when(s.a < 9, {grown})"
    return REC, f"aggregate(dict(a=0, b=''), lambda k, s, v: {grown}"


def agg(draw: Draw, var: Var) -> tuple[str, str]:
    number, text = draw(words.ints(var.value, "v")), draw(words.strs(var.value, "v"))
    n = draw(st.sampled_from(["F.count('*')", f"lambda k, v: F.count({number})"]))
    fields = [f"n={n}", f"s=lambda k, v: F.sum({number})", f"lo=lambda k, v: F.min({number})"]
    return STATS, f"agg({', '.join([*fields, f'hi=lambda k, v: F.max({text})'])}"


def top(draw: Draw, var: Var) -> tuple[str, str]:
    if var.value not in LIST_OF:
        return count(draw, var)
    distinct = f", distinct=lambda k, v: {draw(words.strs(var.value, 'v'))}" if draw(st.booleans()) else ""
    by = draw(words.ints(var.value, "v"))
    return LIST_OF[var.value], f"top({draw(st.integers(1, 3))}, by=lambda k, v: {by}{distinct}"


FOLDS = [count, reduce_, fold, agg, top]


def table_filter(draw: Draw, program: Program, var: Var) -> None:
    predicate = draw(words.predicates(var.key, var.value))
    program.add(replace(var, name=program.name("t")), f"{var.name}.filter(lambda k, v: {predicate})")


def table_map_values(draw: Draw, program: Program, var: Var) -> None:
    value, v = draw(words.values(var.key, var.value))
    name = program.name("t")
    store = f", {program.store(name)}" if draw(st.booleans()) else ""
    program.add(replace(var, name=name, value=value), f"{var.name}.map_values(lambda k, v: {v}{store})")


def to_stream(draw: Draw, program: Program, var: Var) -> None:
    compacted = var.compacted or program.emit == "latest"
    program.add(replace(var, name=program.name("s"), form="stream", compacted=compacted), f"{var.name}.to_stream()")


STEPS = [
    Step("stream", filter_),
    Step("stream", map_),
    Step("stream", map_values, compacted=True),
    Step("stream", flat_map),
    Step("stream", flat_map_values),
    Step("stream", select_key),
    Step("stream", split),
    Step("stream", merge, fits=lambda program, var: bool(partners(program, var)), weight=2),
    Step("stream", repartition),
    Step("stream", to_table, compacted=True, weight=2),
    Step("stream", join, fits=lambda program, var: bool(tables(program, var)), weight=3),
    Step("stream", join_global, fits=lambda program, var: bool(globals_(program, var)), weight=2),
    Step("stream", aggregate, weight=4),
    Step("table", table_filter, compacted=True, weight=2),
    Step("table", table_map_values, compacted=True, weight=2),
    Step("table", to_stream, compacted=True, weight=2),
]
