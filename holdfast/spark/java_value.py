"""The type of what py4j, which has no types, gives for packages, classes, methods and objects of the JVM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol


class JavaValue(Protocol):
    """A part of the JVM, or what a call to it returned.

    What it has only Java knows, and each part of it is another one. Texts, numbers and truths of Java are Python's own
    already; `str`, `int` and `bool` say so to the type checker.
    """

    def __getattr__(self, name: str, /) -> JavaValue: ...
    def __call__(self, *arguments: object) -> JavaValue: ...
    def __getitem__(self, index: object, /) -> JavaValue: ...
    def __setitem__(self, index: int, value: object, /) -> None: ...
    def __iter__(self) -> Iterator[JavaValue]: ...
    def __int__(self) -> int: ...
