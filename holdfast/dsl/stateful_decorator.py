"""Functions with a state for each key, and timers."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from datetime import timedelta
from types import GenericAlias
from typing import Any, Generic, TypeVar, overload

from holdfast.dsl.lambdas import parameters
from holdfast.dsl.python_calls import annotated
from holdfast.dsl.state_classes import checked_state, with_declared_nulls
from holdfast.errors import ExpressionError
from holdfast.position import code_position, user_position
from holdfast.types import DataType, Struct
from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import classes_of
from holdfast.units.duration import milliseconds
from holdfast.workers.function_spec import FunctionSpec
from holdfast.workers.stateful_spec import StatefulSpec

F = TypeVar("F", bound=Callable[..., object])
R = TypeVar("R", covariant=True)
K = TypeVar("K")
V = TypeVar("V")
_TAKES = "(key, event, state, timers)"
_RINGS = "(key, name, state, timers)"


class Stateful(Generic[R]):
    """A function with a state for each key; make one with `hf.stateful`, and let a stream `process` it."""

    def __init__(self, function: Callable[..., object], state: object, returns: object, ttl: int | None) -> None:
        self.function = function
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self.at = _position(function)
        self.returns = returns
        self.ttl = ttl
        self.cls, self.several = checked_state(state, f"stateful {self.name!r}", self.at)
        self.state: DataType = type_of(self.cls, f"stateful {self.name!r}: state")
        self._on_timer: Callable[..., object] | None = None
        _want_parameters(function, self.name, _TAKES)

    def __call__(self, *arguments: object) -> Any:  # a result, a list of them or a generator
        """Call it as it is, in a test for example."""
        return self.function(*arguments)

    def on_timer(self, function: F) -> F:
        """Declare what happens when a timer of a key is due: a function of (key, name, state, timers).

        >>> import holdfast as hf
        >>> from dataclasses import dataclass
        >>> from datetime import timedelta
        >>> @dataclass
        ... class Visits:
        ...     n: int = 0
        >>> @hf.stateful(state=Visits, returns=int)
        ... def visits(key, event, state, timers):
        ...     state.n += 1
        ...     timers.at(timers.timestamp + timedelta(minutes=1), "idle")
        >>> @visits.on_timer
        ... def idle(key, name, state, timers):
        ...     yield state.n
        ...     yield hf.update_state(None)
        """
        if self._on_timer is not None:
            raise ExpressionError(
                f"on_timer: {self.name!r} has one already; let it look at the name of the timer", at=user_position()
            )
        _want_parameters(function, getattr(function, "__name__", "on_timer"), _RINGS)
        self._on_timer = function
        return function


@overload
def stateful(
    *, state: object, returns: tuple[type[K], type[V]], ttl: str | timedelta | None = None
) -> Callable[[Callable[..., object]], Stateful[tuple[K, V]]]: ...
@overload
def stateful(
    *, state: object, returns: type[V], ttl: str | timedelta | None = None
) -> Callable[[Callable[..., object]], Stateful[V]]: ...
@overload
def stateful(
    *, state: object, returns: object, ttl: str | timedelta | None = None
) -> Callable[[Callable[..., object]], Stateful[Any]]: ...
def stateful(
    *, state: object, returns: object, ttl: str | timedelta | None = None
) -> Callable[[Callable[..., object]], Stateful[object]]:
    """A function of (key, event, state, timers) with a state for each key; `state()` is the first one.

    What it gives, yields or lists are results of the type `returns`, or of two types: key and value. `state` is a
    dataclass, or several by name: `state={"cart": Cart, "seen": list[str]}`. The state is changed in place;
    `hf.update_state` replaces it, or deletes it. With `ttl` it expires that long, in event time, after it was changed.

    >>> import holdfast as hf
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Visits:
    ...     n: int = 0
    >>> @hf.stateful(state=Visits, returns=str, ttl="1 day")
    ... def watch(key, event, state, timers):
    ...     state.n += 1
    ...     if state.n > 100:
    ...         yield f"{key} was here {state.n} times"
    >>> app = hf.App("shop")
    >>> app.stream("clicks", str, key=str).process(watch, store="visits").to("alerts")
    """
    length = None if ttl is None else milliseconds(ttl, "stateful: ttl=")
    if length is not None and length < 1:
        raise ExpressionError(
            "stateful: ttl= must be longer than nothing, for example ttl='1 hour'", at=user_position()
        )

    def made(function: Callable[..., object]) -> Stateful[object]:
        if not callable(function) or isinstance(function, (type, Stateful)):
            raise ExpressionError(f"stateful: {function!r} is not a function of {_TAKES}", at=user_position())
        return Stateful(function, state, returns, length)

    return made


def result_of(function: Stateful[object]) -> DataType:
    """The type of one result; two types are a pair of key and value."""
    where, returns = f"stateful {function.name!r}: returns", function.returns
    if not isinstance(returns, tuple):
        return type_of(returns, where)
    if len(returns) != 2:
        raise ExpressionError(f"{where}={returns!r}; a pair is (key type, value type)", at=function.at)
    key, value = (type_of(each, where) for each in returns)
    return Struct(_1=key, _2=value)


def gives_pairs(function: Stateful[object]) -> bool:
    """Whether results have keys of their own."""
    return isinstance(function.returns, tuple)


def call_of(function: Stateful[object], declared: Mapping[str, object], ttl: int | None) -> StatefulSpec:
    """All that is needed to run it; `declared` are the classes of key and value."""
    found, returns = dict(declared), function.returns
    found["result"] = GenericAlias(tuple, returns) if isinstance(returns, tuple) else returns
    hints = annotated(function.function)
    for name, parameter in zip(("key", "value"), parameters(function.function, function.name), strict=False):
        if dataclasses.is_dataclass(hints.get(parameter)):
            found[name] = hints[parameter]
    classes = tuple((name, classes_of(found[name])) for name in sorted(found))
    result, own = result_of(function), function._on_timer
    call = FunctionSpec(
        function.function, function.name, function.at, ("key", "value"), result, result, classes=classes
    )
    named = getattr(own, "__name__", "on_timer")
    on_timer = None if own is None else dataclasses.replace(call, function=own, name=named, at=_position(own))
    state = with_declared_nulls(function.state, function.cls)
    return StatefulSpec(call, on_timer, state, classes_of(function.cls), several=function.several, ttl=ttl)


def _want_parameters(function: Callable[..., object], name: str, wanted: str) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise ExpressionError(
            f"{name} is async, and a function with state runs record by record; look things up before it: "
            "map_values(hf.python(f, returns=...))",
            at=_position(function),
        )
    names = parameters(function, name)
    if len(names) != 4:
        raise ExpressionError(
            f"{name} has the parameters ({', '.join(names)}); it is called with {wanted}", at=_position(function)
        )


def _position(function: Callable[..., object]) -> str:
    code = getattr(function, "__code__", None)
    return code_position(code) if code else user_position()
