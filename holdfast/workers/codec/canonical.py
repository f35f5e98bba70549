"""Values of a type in the form in which a store returns them: tests for it, and copies.

A state may go from one call to the next without being stored in between. Functions must not see a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.types import DataType
from holdfast.types.value_classes import classes_of
from holdfast.workers.codec.canonical_source import build_of, canonical_source, canonical_test, copy_of, is_immutable
from holdfast.workers.codec.column_encoder import value_checker


@dataclass(frozen=True)
class CanonicalForm:
    """Values of one type: `is_canonical` says whether one is as a store returns it, `copy` copies such a value.

    `stored` makes of any value what a store would return for it; a value of a wrong type raises WrongType.
    """

    is_canonical: Callable[[object], bool]
    copy: Callable[[object], object]
    stored: Callable[[object], object]
    immutable: bool


def canonical_form(type_: DataType, cls: object = None) -> CanonicalForm:
    """The canonical form of a type; records are instances of `cls` if it is a dataclass.

    >>> from holdfast.types import DOUBLE, LONG
    >>> number = canonical_form(LONG)
    >>> number.is_canonical(5), number.is_canonical(True), number.is_canonical(2**63)
    (True, False, False)
    >>> canonical_form(DOUBLE).stored(3)
    3.0
    """
    source, classes = canonical_source(), classes_of(cls)
    check = value_checker(type_, classes)
    is_canonical = source.expression("x", canonical_test(type_, classes, "x", source))
    copy = source.expression("x", copy_of(type_, classes, "x", source))
    build = source.expression("x", build_of(type_, classes, "x", source))
    return CanonicalForm(is_canonical, copy, lambda value: build(check(value, "result")), is_immutable(type_, classes))
