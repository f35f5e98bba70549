"""A program in our DSL as source text, so that a failing one can be read and run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

import holdfast as hf
from holdfast import functions as F
from tests.oracle.in_python import in_python


@dataclass(frozen=True)
class Tally:
    """A state of generated aggregates that says its types itself."""

    n: int = 0
    x: float = 0.0


WORDS: Mapping[str, Any] = {"hf": hf, "F": F, "Decimal": Decimal, "Tally": Tally}


@dataclass(frozen=True)
class Topic:
    """A topic that a program reads."""

    name: str
    key: str
    value: str
    kind: str


@dataclass(frozen=True)
class Var:
    """A variable of the program: what it holds and by which ways records come to it.

    A way is a source and the repartitionings since; `rekeyed` says that the next stateful operation repartitions.
    `compacted` says that updates may be missing, because a table before it tells only the latest of a batch.
    `scattered`: what one record causes may be of several keys, in no defined order; with new keys that is `jumbled`.
    `closes`: the windows of the key are open or closed; `final`: each entry is told once; `versioned`: it has a past.
    `headless`: Kafka Streams lost the headers on the way (sessions do), or they are another record's there.
    `roots`: the tables that a table shows.
    `forgets`: Kafka Streams does not always tell what was before (sessions, sliding windows: test_differences.py).
    `unkept`: Kafka Streams does not know what was before (joins by a foreign key without a store: test_differences.py).
    `several`: one record may cause more than one update of a key.
    `suppressed`: Kafka Streams takes the value before from what was suppressed, and not from what was emitted
    (test_differences.py).
    `inexact`: doubles in it were added in an order that is open, so that their last digits are.
    `widened`: decimals in it may be longer than those of the topics, because they were added up.
    `closed`: Kafka Streams cannot look into the table (streams aggregated together in windows: test_differences.py).
    """

    name: str
    form: str
    key: str
    value: str
    ways: frozenset[tuple[str, ...]]
    rekeyed: bool = False
    compacted: bool = False
    scattered: bool = False
    jumbled: bool = False
    closes: bool = False
    final: bool = False
    versioned: bool = False
    headless: bool = False
    roots: frozenset[str] = frozenset()
    forgets: bool = False
    closed: bool = False
    several: bool = False
    unkept: bool = False
    suppressed: bool = False
    inexact: bool = False
    widened: bool = False


@dataclass
class Program:
    """Source text and what one needs to know to run it; `closing`: it may send something because time passed."""

    emit: str = "every"
    closing: bool = True
    lines: list[str] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)
    variables: list[Var] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    outputs: dict[str, Var] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The program as one would write it."""
        return "\n".join(self.lines)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text("the program above")

    def app(
        self, name: str = "oracle", prefix: str = "", into: hf.App | None = None, tasks: int = 1, python: bool = False
    ) -> hf.App:
        """Run the source text; `prefix` makes topics and stores this program's own in a shared app.

        Functions in Python are expressions for the judge, and run in Python where `python` is said.
        """
        app = into or hf.App(name, tasks=tasks)
        py = in_python if python else lambda function, kind: partial(function, F)
        exec(compile(self.source, "program.py", "exec"), {**WORDS, "py": py, "app": app, "p": prefix})
        return app

    def compacted(self, topic: str) -> bool:
        """Whether updates may be missing from an output."""
        var = self.outputs[topic]
        return var.compacted or (var.form == "table" and self.thins(var))

    def thins(self, var: Var) -> bool:
        """Whether a table tells only the latest of a batch."""
        return self.emit == "latest" and not var.final

    def name(self, letter: str) -> str:
        return f"{letter}{len(self.lines)}"

    def store(self, name: str) -> str:
        # Every third table has no name; only the names can say that every update is to be told.
        if self.emit == "latest" and len(self.lines) % 3 == 0:
            return "store=None"
        return f"store=hf.Materialized(p + '{name}', emit='{self.emit}')"

    def past(self, name: str) -> str:
        """A store that keeps what was, for a while."""
        return f"store=hf.Materialized(p + '{name}', versioned='12 ms', emit='{self.emit}')"

    def window_store(self, name: str) -> str:
        """The store of a window, which says itself what is told."""
        return "store=None" if len(self.lines) % 3 == 0 else f"store=p + '{name}'"

    def add(self, var: Var, text: str) -> Var:
        if var.form == "table" and not var.roots:
            var = replace(var, roots=frozenset({var.name}))
        self.lines.append(f"{var.name} = {text}")
        self.variables.append(var)
        return var

    def use(self, *variables: Var) -> None:
        self.used.update(each.name for each in variables)


def meet(a: Var, b: Var) -> bool:
    """Whether Kafka Streams defines the order in which records of two variables meet.

    Two ways from one source must have passed the same repartitionings: between topics there is no order.
    """
    return all(x == y for x in a.ways for y in b.ways if x[0] == y[0])


def several(a: Var, b: Var) -> bool:
    """Whether one record may come to what is made of both more than once."""
    return a.several or b.several or any(x[0] == y[0] for x in a.ways for y in b.ways)


def crossed(var: Var, program: Program) -> Var:
    """The variable after the repartitioning that a stateful operation makes of a changed key."""
    return repartitioned(var, program) if var.rekeyed else var


def repartitioned(var: Var, program: Program) -> Var:
    here = f"r{len(program.lines)}"
    return replace(var, rekeyed=False, ways=frozenset((*way, here) for way in var.ways))


def with_key(var: Var, key: str, **changes: Any) -> Var:
    """The variable with another key; where records of several keys had no order, those of one key now have none."""
    return replace(var, key=key, rekeyed=True, jumbled=var.jumbled or var.scattered, **changes)


def apart(a: Var, b: Var) -> bool:
    """Whether nothing comes to both variables."""
    return not {way[0] for way in a.ways} & {way[0] for way in b.ways}
