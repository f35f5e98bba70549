"""Functions that run in Python and not as Spark expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, ClassVar

from holdfast.dsl.lambdas import parameters
from holdfast.errors import ExpressionError
from holdfast.position import code_position, user_position
from holdfast.types import DataType, Struct
from holdfast.types.type_hints import type_of
from holdfast.units.duration import milliseconds
from holdfast.workers.function_spec import AsyncOptions


@dataclass(frozen=True)
class PythonFunction:
    """A function, and the type of what it gives; make one with `hf.python` or `hf.arrow`."""

    function: Callable[..., object]
    declared: object
    name: str
    at: str
    kind: str
    async_options: AsyncOptions
    effect: bool = False

    runs_in_python: ClassVar[bool] = True

    def __call__(self, *arguments: object) -> Any:  # a value, a list of them, a coroutine or a column
        """Call it as it is, in a test for example."""
        return self.function(*arguments)

    def takes(self, what: str) -> tuple[str, ...]:
        """The arguments it asks for: the value, or key and value."""
        names = parameters(self.function, what)
        if len(names) not in (1, 2):
            raise ExpressionError(
                f"{what} has the parameters ({', '.join(names)}); it is called with (value) or (key, value)", at=self.at
            )
        return ("value",) if len(names) == 1 else ("key", "value")

    def item(self, what: str) -> DataType:
        """The type of one result; two types are a pair of key and value."""
        if isinstance(self.declared, tuple):
            if len(self.declared) != 2:
                raise ExpressionError(
                    f"{what}: returns={self.declared!r}; a pair is (key type, value type)", at=self.at
                )
            key, value = (type_of(each, f"{what}: returns") for each in self.declared)
            return Struct(_1=key, _2=value)
        return type_of(self.declared, f"{what}: returns")


def effect(f: Callable[..., object], what: str) -> PythonFunction:
    """A function that is called for what it does; what it gives does not matter."""
    function = f if isinstance(f, PythonFunction) else python(f, returns=bool)
    parameters(function.function, what)
    return replace(function, effect=True, declared=bool)


def python(
    f: Callable[..., object],
    *,
    returns: object,
    concurrency: int | None = None,
    timeout: str | timedelta | None = None,
    retries: int | None = None,
) -> PythonFunction:
    """Let a function run in Python, on real values; `returns` is the type of its result.

    An `async def` is run for up to `concurrency` records at the same time (100 if nothing is said), each try for at
    most `timeout`; a record for which it fails is tried again up to `retries` times.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> orders = app.stream("orders", "text STRING", key=str)
    >>> shouted = orders.map_values(hf.python(lambda order: order.text.upper(), returns=str))
    """
    _want_function(f, "python")
    kind = "async" if inspect.iscoroutinefunction(f) else "plain"
    return _made(f, returns, kind, _async_options(f, kind, concurrency, timeout, retries))


def arrow(f: Callable[..., object], *, returns: object) -> PythonFunction:
    """Let a function run in Python on a whole batch of records at once: a `pyarrow.RecordBatch` in, one out.

    The batch has a column for each field of the value, or the column `value`; a second parameter, before it, gets the
    keys as an array. `returns` is the type of one result; the function gives as many as it got, in their order.

    >>> import holdfast as hf
    >>> import pyarrow.compute as pc
    >>> app = hf.App("shop")
    >>> orders = app.stream("orders", "price DOUBLE, pieces BIGINT", key=str)
    >>> def total(batch):
    ...     return pc.multiply(batch["price"], batch["pieces"])
    >>> totals = orders.map_values(hf.arrow(total, returns=float))
    """
    _want_function(f, "arrow")
    return _made(f, returns, "arrow", AsyncOptions())


def _want_function(f: Callable[..., object], what: str) -> None:
    if isinstance(f, PythonFunction) or not callable(f) or isinstance(f, type):
        raise ExpressionError(
            f"{what}: {f!r} is not a function; give one: hf.{what}(f, returns=...)", at=user_position()
        )
    if inspect.isasyncgenfunction(f):
        raise ExpressionError(f"{what}: {f.__name__} is an async generator; give a list instead", at=_position(f))


def _position(f: Callable[..., object]) -> str:
    code = getattr(f, "__code__", None)
    return code_position(code) if code else user_position()


def _made(f: Callable[..., object], returns: object, kind: str, async_options: AsyncOptions) -> PythonFunction:
    return PythonFunction(f, returns, getattr(f, "__name__", type(f).__name__), _position(f), kind, async_options)


def _async_options(
    f: Callable[..., object],
    kind: str,
    concurrency: int | None,
    timeout: str | timedelta | None,
    retries: int | None,
) -> AsyncOptions:
    given = {"concurrency": concurrency, "timeout": timeout, "retries": retries}
    asked = [name for name, value in given.items() if value is not None]
    if asked and kind != "async":
        raise ExpressionError(
            f"python: {asked[0]}= is for functions that wait, written with async def; a plain function runs for one "
            'record after the other, and how long a call may take says App(python={"timeout": ...})',
            at=_position(f),
        )
    return AsyncOptions(
        concurrency=_count(f, "concurrency", 100 if concurrency is None else concurrency, 1),
        timeout_ms=None if timeout is None else milliseconds(timeout, "python: timeout="),
        retries=_count(f, "retries", 0 if retries is None else retries, 0),
    )


def _count(f: Callable[..., object], name: str, value: int, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ExpressionError(f"python: {name}={value!r}; a whole number from {least} was wanted", at=_position(f))
    return value
