"""Which runner runs which kind of Python function, and how it is made where it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from holdfast.documents import Document
from holdfast.types import DataType, from_json

Ask = Callable[[bytes], bytes]

_RUNNERS = "holdfast.workers.runners."
RUNNERS: Mapping[str, str] = {
    "plain": _RUNNERS + "record_runner:RecordRunner",
    "async": _RUNNERS + "async_runner:AsyncRunner",
    "arrow": _RUNNERS + "vectorised_runner:VectorisedRunner",
    "fold": _RUNNERS + "fold_runner:FoldRunner",
    "stateful": _RUNNERS + "stateful_runner:StatefulRunner",
    "processors": _RUNNERS + "processor_runner:ProcessorRunner",
}
"""The class of the runner of each kind of function, by its name, so that a program can be read without what runs it."""
Types = Mapping[str, Mapping[str, DataType]]
"""The types of key and value of all nodes, as Spark resolved them."""


def resolved_types(nodes: Mapping[str, Document]) -> Types:
    """The types of all nodes from the kernel's answer."""
    return {id: {part: from_json(of) for part, of in parts.items()} for id, parts in nodes.items()}


class Runner(Protocol):
    """Runs a function on the records of a batch; meanwhile it may ask the kernel."""

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """The answer to a call."""


@dataclass(frozen=True)
class RunnerSpec:
    """A kind of function, whose runner is imported only where it is needed, and what the runner is made with."""

    kind: str
    arguments: tuple[object, ...]

    def __call__(self) -> Runner:
        module, name = RUNNERS[self.kind].split(":")
        runner: Runner = getattr(import_module(module), name)(*self.arguments)
        return runner
