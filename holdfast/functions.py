"""Spark's functions as lazy expressions: `from holdfast import functions as F`, then `F.upper("name")`."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.dsl.columns import Expression
from holdfast.dsl.functions import NAMES, function


def __getattr__(name: str) -> Callable[..., Expression]:
    if name.startswith("__"):
        raise AttributeError(name)
    return function(name)


def __dir__() -> list[str]:
    return list(NAMES)
