"""How what runs a Python function is made where it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from holdfast.documents import Document
from holdfast.types import DataType, from_json

Ask = Callable[[bytes], bytes]
Types = Mapping[str, Mapping[str, DataType]]
"""The types of key and value of all nodes, as Spark tells them."""


def resolved_types(nodes: Mapping[str, Document]) -> Types:
    """The types of all nodes from the kernel's answer."""
    return {id: {part: from_json(of) for part, of in parts.items()} for id, parts in nodes.items()}


class Runner(Protocol):
    """Runs a function on the records of a batch; meanwhile it may ask the kernel."""

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """The answer to a call."""


@dataclass(frozen=True)
class RunnerSpec:
    """A class named `module:name`, imported only where it is needed, and what it is made with."""

    runner: str
    arguments: tuple[Any, ...]

    def __call__(self) -> Runner:
        module, name = self.runner.split(":")
        return cast(Runner, getattr(import_module(module), name)(*self.arguments))
