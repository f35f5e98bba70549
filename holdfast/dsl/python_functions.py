"""Functions that run in Python and not as Spark expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from holdfast.dsl.calling import parameters
from holdfast.dsl.position import code_position, user_position
from holdfast.errors import ExpressionError
from holdfast.topics.types import T, field, struct, type_of


@dataclass(frozen=True)
class PythonFunction:
    """A function, and the type of what it gives; make one with `hf.python`."""

    function: Callable[..., Any]
    declared: Any
    name: str
    at: str
    kind: str

    runs_in_python: ClassVar[bool] = True

    def __call__(self, *arguments: Any) -> Any:
        """Call it as it is, in a test for example."""
        return self.function(*arguments)

    def takes(self, what: str) -> tuple[str, ...]:
        """The arguments it asks for: the value, or key and value."""
        asked = self.function.function if isinstance(self.function, Effect) else self.function
        names = parameters(asked, what)
        if len(names) not in (1, 2):
            raise ExpressionError(
                f"{what} has the parameters ({', '.join(names)}); it is called with (value) or (key, value)", at=self.at
            )
        return ("value",) if len(names) == 1 else ("key", "value")

    def item(self, what: str) -> T:
        """The type of one result; two types are a pair of key and value."""
        if isinstance(self.declared, tuple):
            if len(self.declared) != 2:
                raise ExpressionError(
                    f"{what}: returns={self.declared!r}; a pair is (key type, value type)", at=self.at
                )
            key, value = (type_of(each, f"{what}: returns") for each in self.declared)
            return struct([field("_1", key), field("_2", value)])
        return type_of(self.declared, f"{what}: returns")


def effect(f: Callable[..., Any], what: str) -> PythonFunction:
    """A function that is called for what it does; what it gives does not matter."""
    function = f if isinstance(f, PythonFunction) else python(f, returns=bool)
    parameters(function.function, what)
    return replace(function, function=Effect(function.function), declared=bool)


@dataclass(frozen=True)
class Effect:
    """Calls a function and forgets its result."""

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> None:
        self.function(*arguments)


def python(f: Callable[..., Any], *, returns: Any) -> PythonFunction:
    """Let a function run in Python, on real values; `returns` is the type of its result.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> orders = app.stream("orders", "text STRING", key=str)
    >>> shouted = orders.map_values(hf.python(lambda order: order.text.upper(), returns=str))
    """
    if isinstance(f, PythonFunction) or not callable(f) or isinstance(f, type):
        raise ExpressionError(
            f"python: {f!r} is not a function; give one: hf.python(f, returns=...)", at=user_position()
        )
    code = getattr(f, "__code__", None)
    at = code_position(code) if code else user_position()
    kind = "async" if inspect.iscoroutinefunction(f) else "plain"
    return PythonFunction(f, returns, getattr(f, "__name__", type(f).__name__), at, kind)
