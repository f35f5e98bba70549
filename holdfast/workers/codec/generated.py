"""Generates functions from source, each for one type."""

from __future__ import annotations

import hashlib
import linecache
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

Generated = Callable[..., Any]  # only the source says what it takes and gives

_HERE = os.path.dirname(os.path.abspath(__file__))


class FunctionSource:
    """Makes functions that all see the same names: those given here, and values that get a name on the way.

    >>> source = FunctionSource()
    >>> limit = source.bind(10)
    >>> source.expression("x", f"x < {limit}")(5)
    True
    """

    def __init__(self, **names: object) -> None:
        self._names: dict[str, object] = names
        self._variables = 0

    def bind(self, value: object) -> str:
        """A name under which the source finds a value."""
        name = f"n{len(self._names)}"
        self._names[name] = value
        return name

    def variable(self) -> str:
        """A name that no other variable of these functions has."""
        self._variables += 1
        return f"x{self._variables}"

    def function(self, name: str, parameters: str, lines: Sequence[str]) -> Generated:
        """The function with these lines, which are indented by one space and more."""
        source = "\n".join([f"def {name}({parameters}):", *lines, ""])
        made: dict[str, Generated] = {}
        exec(_compiled(name, source), {**self._names}, made)
        return made[name]

    def expression(self, parameters: str, body: str) -> Generated:
        """The function that gives an expression."""
        return self.function("made", parameters, [f" return {body}"])


def attribute(x: str, name: str) -> str:
    """The source of an attribute, as the fields of an instance are.

    >>> attribute("x", "points")
    'x.points'
    """
    return f"{x}.{name}"


def item(x: str, name: str | int) -> str:
    """The source of an item, as the fields of a row are: their names may have any letters.

    >>> item("x", "it's {odd}")
    'x["it\\'s {odd}"]'
    """
    return f"{x}[{name!r}]"


def optional_item(x: str, name: str) -> str:
    """The source of an item that may be missing, and is null then.

    >>> optional_item("x", "points")
    "x.get('points')"
    """
    return f"{x}.get({name!r})"


@lru_cache(maxsize=1024)
def _compiled(name: str, source: str) -> CodeType:
    """The code of a module; tracebacks and debuggers find its lines as those of a file of ours that is not there."""
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    file = os.path.join(_HERE, f"<{name} {digest}>")
    # Without a time of change it is never looked for on the disk.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return compile(source, file, "exec")
