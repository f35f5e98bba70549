"""Random programs."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.oracle import joins, stateless, tables
from tests.oracle.program import Program, Topic, Var
from tests.oracle.step import Step
from tests.oracle.words import FLOAT, INT, MIXED, PAIR, REC, STR

SCHEMAS = {REC: "'a BIGINT, b STRING'", PAIR: "'c BIGINT, d STRING'", INT: "int", STR: "str", FLOAT: "float"}
SCHEMAS[MIXED] = "'n BIGINT, x DOUBLE, d DECIMAL(10,2)'"
VALUES = [REC, REC, REC, PAIR, PAIR, INT, STR, FLOAT, MIXED, MIXED]
KINDS = ["stream", "stream", "stream", "table", "table", "table", "past", "global"]
METHODS = {"stream": "stream", "table": "table", "past": "table", "global": "global_table"}
STEPS = [*stateless.STEPS, *tables.STEPS, *joins.STEPS]
MOST_STEPS = 6


def programs(emit: str = "every", closing: bool = True) -> st.SearchStrategy[Program]:
    """Programs of one to three sources and up to six operations."""
    return _programs(emit, closing)


def foreign_keys(emit: str = "every") -> st.SearchStrategy[Program]:
    """Programs that join two tables by a foreign key, and then do up to two operations more."""
    return _foreign_keys(emit)


@st.composite
def _programs(draw: st.DrawFn, emit: str, closing: bool) -> Program:
    program = Program(emit, closing)
    kinds = st.sampled_from(KINDS if closing else [kind for kind in KINDS if kind != "past"])
    others = draw(st.sampled_from([0, 1, 1, 2, 2, 2]))
    for number, kind in enumerate(["stream", *draw(st.lists(kinds, min_size=others, max_size=others))]):
        _source(draw, program, number, kind)
    for _ in range(draw(st.integers(1, MOST_STEPS))):
        _step(draw, program, STEPS)
    return _written(program)


@st.composite
def _foreign_keys(draw: st.DrawFn, emit: str) -> Program:
    program = Program(emit)
    for number in range(2):
        _source(draw, program, number, "table")
    _step(draw, program, [step for step in STEPS if step.name == "fk_join"])
    _write(program, program.variables[-1])
    for _ in range(draw(st.integers(0, 2))):
        _step(draw, program, STEPS)
    return _written(program)


def _step(draw: st.DrawFn, program: Program, steps: list[Step]) -> None:
    fitting = [step for step in steps if _subjects(program, step)]
    step = draw(st.sampled_from([step for step in fitting for _ in range(step.weight)]))
    subjects = _subjects(program, step)
    # Rather on than beside: most steps go on where the last one ended.
    subject = draw(st.sampled_from([subjects[-1], subjects[-1], *subjects]))
    program.use(subject)
    program.steps.append(step.name)
    step.make(draw, program, subject)


def _written(program: Program) -> Program:
    """The program with an output for each variable that nothing uses."""
    for var in program.variables:
        if var.name not in program.used and var.form != "global" and var not in program.outputs.values():
            _write(program, var)
    return program


def _write(program: Program, var: Var) -> None:
    topic = f"out-{len(program.outputs)}"
    program.lines.append(f"{var.name}.to(p + '{topic}')")
    program.outputs[topic] = var


def _source(draw: st.DrawFn, program: Program, number: int, kind: str) -> None:
    # The keys of most are alike, so that they can be joined.
    key, value = draw(st.sampled_from([STR, STR, STR, INT])), draw(st.sampled_from(VALUES))
    # In a batch, several topics of one source have an order only where an operation with state brings them together.
    several = kind == "stream" and program.emit == "every" and draw(st.integers(0, 5)) == 0
    names = [f"in-{number}", f"in-{number}-too"] if several else [f"in-{number}"]
    program.topics += [Topic(name, key, value, kind) for name in names]
    method = METHODS[kind]
    store = "" if kind == "stream" else f", {program.past(names[0]) if kind == 'past' else program.store(names[0])}"
    form = "table" if kind == "past" else kind
    var = Var(program.name(kind[0]), form, key, value, frozenset({(names[0],)}), versioned=kind == "past")
    topics = f"p + '{names[0]}'" if len(names) == 1 else f"[{', '.join(f'p + {name!r}' for name in names)}]"
    program.add(var, f"app.{method}({topics}, {SCHEMAS[value]}, key={key}{store})")


def _subjects(program: Program, step: Step) -> list[Var]:
    return [v for v in program.variables if step.takes(program, v)]
