"""Operations on one record at a time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from tests.oracle import words
from tests.oracle.program import Program, Var, meet, repartitioned, several, with_key
from tests.oracle.step import Draw, Step
from tests.oracle.words import DECIMAL, FLOAT, INT, MIXED, PAIR, REC, STR


def filter_(draw: Draw, program: Program, var: Var) -> None:
    method = draw(st.sampled_from(["filter", "filter_not"]))
    predicate = draw(words.predicates(var.key, var.value, fails=True))
    program.add(replace(var, name=program.name("s")), f"{var.name}.{method}(lambda k, v: {predicate})")


def map_(draw: Draw, program: Program, var: Var) -> None:
    key, k = draw(words.keys(var.key, var.value, fails=True))
    value, v = draw(words.values(var.key, var.value))
    new = with_key(var, key, name=program.name("s"), value=value)
    program.add(new, f"{var.name}.map(lambda k, v: ({k}, {v}))")


def map_values(draw: Draw, program: Program, var: Var) -> None:
    # Where updates are missing, a failure is, too: what was told before it would be told last.
    value, v = draw(words.values(var.key, var.value, fails=not var.compacted))
    # So is the delete of a row that came and went within a batch: a delete stays one.
    made = f"F.when(~F.isnull(v), {v})" if var.compacted else v
    program.add(replace(var, name=program.name("s"), value=value), f"{var.name}.map_values(lambda k, v: {made})")


def metadata(draw: Draw, program: Program, var: Var) -> None:
    time = "F.unix_millis(hf.timestamp())"
    header = "F.cast(F.element_at(hf.headers(), 'h'), 'string')"
    value = draw(st.sampled_from([(INT, time), (STR, header), (REC, f"dict(a={time}, b={header})")]))
    program.add(replace(var, name=program.name("s"), value=value[0]), f"{var.name}.map_values(lambda k, v: {value[1]})")


def flat_map(draw: Draw, program: Program, var: Var) -> None:
    key, value = draw(st.sampled_from([STR, INT])), draw(st.sampled_from([STR, INT, REC]))
    number, text = words.ints(var.value, "v"), words.strs(var.value, "v")
    pairs = [
        f"({draw(text if key == STR else number)}, {draw(words.of_kind(value, number, text))})"
        for _ in range(draw(st.integers(1, 3)))
    ]
    new = with_key(var, key, name=program.name("s"), value=value, several=True)
    program.add(new, f"{var.name}.flat_map(lambda k, v: [{', '.join(pairs)}])")


def flat_map_values(draw: Draw, program: Program, var: Var) -> None:
    value = draw(st.sampled_from([STR, INT, REC, PAIR, FLOAT]))
    item = words.of_kind(value, words.ints(var.value, "v"), words.strs(var.value, "v"))
    items = f"[{', '.join(draw(st.lists(item, min_size=1, max_size=3)))}]"
    if draw(st.booleans()):
        items = f"F.when({draw(words.predicates(var.key, var.value))}, {items})"
    new = replace(var, name=program.name("s"), value=value, several=True)
    program.add(new, f"{var.name}.flat_map_values(lambda k, v: {items})")


def select_key(draw: Draw, program: Program, var: Var) -> None:
    key, k = draw(words.keys(var.key, var.value, fails=True))
    program.add(with_key(var, key, name=program.name("s")), f"{var.name}.select_key(lambda k, v: {k})")


def split(draw: Draw, program: Program, var: Var) -> None:
    names = ["first", "second"][: draw(st.integers(1, 2))]
    branches = [f"{name}=lambda k, v: {draw(words.predicates(var.key, var.value, fails=True))}" for name in names]
    whole = program.name("b")
    program.lines.append(f"{whole} = {var.name}.split({', '.join(branches)})")
    program.variables += [replace(var, name=f"{whole}.{name}") for name in [*names, "rest"]]


def partners(program: Program, var: Var) -> list[Var]:
    """The streams that a stream may be merged with."""
    same = (v for v in program.variables if v.form == "stream" and v.name != var.name and not v.compacted)
    same = (v for v in same if (v.key, v.value) == (var.key, var.value) and meet(v, var))
    # Decimals of several lengths are several types, which a merge refuses.
    return [
        v for v in same if not ((var.value in (MIXED, "mixeds") and (v.widened or var.widened)) or var.value == DECIMAL)
    ]


def merge(draw: Draw, program: Program, var: Var) -> None:
    other = draw(st.sampled_from(partners(program, var)))
    program.use(other)
    new = replace(
        var,
        name=program.name("s"),
        ways=var.ways | other.ways,
        rekeyed=var.rekeyed or other.rekeyed,
        jumbled=var.jumbled or other.jumbled,
        headless=var.headless or other.headless,
        inexact=var.inexact or other.inexact,
        several=several(var, other),
        # What two ways of one record make of it may have one key.
        scattered=var.scattered or other.scattered,
    )
    program.add(new, f"{var.name}.merge({other.name})")


def repartition(draw: Draw, program: Program, var: Var) -> None:
    # Kafka Streams loses records without a key here, ours go on: test_differences.py.
    keyed = f"{var.name}.filter(lambda k, v: ~F.isnull(k))"
    program.add(replace(repartitioned(var, program), name=program.name("s")), f"{keyed}.repartition()")


def to_by_expression(draw: Draw, program: Program, var: Var) -> None:
    name = f"d{len(program.lines)}"
    topic = draw(words.strs(var.value, "v"))
    headers = ", headers=lambda k, v: dict(h=F.lit('new'), i=F.lit('x'))" if draw(st.booleans()) else ""
    program.lines.append(f"{var.name}.to(lambda k, v: F.concat(F.lit(p + '{name}-'), {topic}){headers})")
    program.outputs[f"{name}-*"] = var


def _names_no_topic(program: Program, var: Var) -> bool:
    # The driver cannot tell which of several expressions gave a topic its name.
    return not any(topic.endswith("*") for topic in program.outputs)


STEPS = [
    Step("filter", "stream", filter_, jumbled=True),
    Step("map", "stream", map_, jumbled=True),
    Step("map_values", "stream", map_values, compacted=True, jumbled=True),
    Step("metadata", "stream", metadata, fits=lambda program, var: not var.headless),
    Step("flat_map", "stream", flat_map, jumbled=True),
    Step("flat_map_values", "stream", flat_map_values, jumbled=True),
    Step("select_key", "stream", select_key, jumbled=True),
    Step("split", "stream", split, jumbled=True),
    Step("merge", "stream", merge, fits=lambda program, var: bool(partners(program, var)), weight=2),
    Step("repartition", "stream", repartition),
    Step("to by expression", "stream", to_by_expression, fits=_names_no_topic),
]
