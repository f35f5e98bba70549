"""Random programs."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.oracle.program import Program, Topic, Var
from tests.oracle.steps import STEPS, Step
from tests.oracle.words import INT, REC, STR

SCHEMAS = {REC: "'a BIGINT, b STRING'", INT: "int", STR: "str"}
MOST_STEPS = 6


def programs(emit: str = "every") -> st.SearchStrategy[Program]:
    """Programs of one to three sources and up to six operations."""
    return _programs(emit)


@st.composite
def _programs(draw: st.DrawFn, emit: str) -> Program:
    program = Program(emit)
    for number, kind in enumerate(
        ["stream", *draw(st.lists(st.sampled_from(["stream", "table", "global"]), max_size=2))]
    ):
        _source(draw, program, number, kind)
    for _ in range(draw(st.integers(1, MOST_STEPS))):
        steps = [step for step in STEPS if _subjects(program, step)]
        step = draw(st.sampled_from([step for step in steps for _ in range(step.weight)]))
        subjects = _subjects(program, step)
        # Rather on than beside: most steps go on where the last one ended.
        subject = draw(st.sampled_from([subjects[-1], subjects[-1], *subjects]))
        program.use(subject)
        step.make(draw, program, subject)
    for var in program.variables:
        if var.name not in program.used and var.form != "global":
            topic = f"out-{len(program.outputs)}"
            program.lines.append(f"{var.name}.to(p + '{topic}')")
            program.outputs[topic] = var
    return program


def _source(draw: st.DrawFn, program: Program, number: int, kind: str) -> None:
    topic = Topic(f"in-{number}", draw(st.sampled_from([STR, INT])), draw(st.sampled_from([REC, REC, INT, STR])), kind)
    program.topics.append(topic)
    method = {"stream": "stream", "table": "table", "global": "global_table"}[kind]
    store = "" if kind == "stream" else f", {program.store(topic.name)}"
    var = Var(program.name(kind[0]), kind, topic.key, topic.value, frozenset({(topic.name,)}))
    program.add(var, f"app.{method}(p + '{topic.name}', {SCHEMAS[topic.value]}, key={topic.key}{store})")


def _subjects(program: Program, step: Step) -> list[Var]:
    return [
        v
        for v in program.variables
        if v.form == step.form and (step.compacted or not v.compacted) and step.fits(program, v)
    ]
