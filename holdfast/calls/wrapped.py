"""Functions that are called with other arguments than they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.calls.writing import WrongType


@dataclass(frozen=True)
class OfSides:
    """A joiner, called with a record of both sides."""

    function: Callable[..., Any]
    keyed: bool

    def __call__(self, *arguments: Any) -> Any:
        *key, both = arguments
        return self.function(*key, both.left, both.right)


@dataclass(frozen=True)
class OfValue:
    """A function of a value, called with a state before it, which does not matter."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        *key, _, value = arguments
        return self.function(*key, value)


@dataclass(frozen=True)
class Kept:
    """A predicate as a function of a state, which does not matter, and a value: the value, or nothing."""

    function: Callable[..., Any]
    wanted: bool

    def __call__(self, *arguments: Any) -> Any:
        *key, _, value = arguments
        fits = self.function(*key, value)
        if fits is not None and not isinstance(fits, bool):
            raise WrongType(f"result: bool was wanted, {fits!r} ({type(fits).__name__}) came")
        return value if bool(fits) is self.wanted else None
