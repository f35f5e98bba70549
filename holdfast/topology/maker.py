"""How what runs a Python function is made where it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

Ask = Callable[[bytes], bytes]


class Runs(Protocol):
    """Runs a function on the records of a batch; meanwhile it may ask the kernel."""

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """The answer to a call."""


@dataclass(frozen=True)
class Maker:
    """A class named `module:name`, imported only where it is needed, and what it is made with."""

    runner: str
    arguments: tuple[Any, ...]

    def __call__(self) -> Runs:
        module, name = self.runner.split(":")
        return cast(Runs, getattr(import_module(module), name)(*self.arguments))
