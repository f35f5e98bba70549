"""Adapters for functions that take other arguments than the runner passes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class JoinerAdapter:
    """A joiner, called with a record of both sides, and maybe a key before it."""

    function: Callable[..., object]

    def __call__(self, *arguments: Any) -> object:  # the last one is a record of both sides
        both = arguments[-1]
        return self.function(*arguments[:-1], both["left"], both["right"])


@dataclass(frozen=True)
class ValueAdapter:
    """A function of a value, and maybe a key, called with a state between them, which does not matter."""

    function: Callable[..., object]

    def __call__(self, *arguments: object) -> object:
        return self.function(*arguments[:-2], arguments[-1])


@dataclass(frozen=True)
class PredicateAdapter:
    """A predicate, called like `ValueAdapter`: it gives the value, or nothing."""

    function: Callable[..., object]
    keep_if: bool

    def __call__(self, *arguments: object) -> object:
        value = arguments[-1]
        fits = self.function(*arguments[:-2], value)
        if fits is not None and not isinstance(fits, bool):
            from holdfast.workers.codec.column_encoder import WrongType

            raise WrongType(f"result: bool was wanted, {fits!r} ({type(fits).__name__}) came")
        return value if bool(fits) is self.keep_if else None
