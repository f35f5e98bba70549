"""A Python function of a program, with all that is needed to run it on records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.types import DataType
from holdfast.types.value_classes import Classes


@dataclass(frozen=True)
class AsyncOptions:
    """How coroutines are run: so many at the same time, each try for so long, so many further tries."""

    concurrency: int = 100
    timeout_ms: int | None = None
    retries: int = 0


@dataclass(frozen=True)
class FunctionSpec:
    """A Python function with the types of its arguments and of its result.

    `takes` names the arguments in order: key, value; `many` says that it gives any number of `item`, `effect` that
    what it gives does not matter. `kind` is plain, async or arrow; `classes` are those of key, value and result.
    """

    function: Callable[..., Any]  # of a user, who alone knows what it takes and gives
    name: str
    at: str
    takes: tuple[str, ...]
    returns: DataType
    item: DataType
    many: bool = False
    kind: str = "plain"
    classes: tuple[tuple[str, Classes], ...] = ()
    async_options: AsyncOptions = AsyncOptions()
    effect: bool = False

    @property
    def title(self) -> str:
        """How errors call it."""
        return f"{self.name} ({self.at})"
