"""Values of a type as they come out of a store: whether one is already such a value, and copies of it.

A state goes from one call to the next without being stored in between. It must not matter whether it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.types import DataType
from holdfast.types.value_classes import classes_of
from holdfast.workers.codec.canonical_source import build_of, canonical_source, copy_of, exactness_of, is_immutable
from holdfast.workers.codec.column_encoder import value_checker


@dataclass(frozen=True)
class CanonicalForm:
    """Values of one type: `exact` says whether one is as a store gives it, `copy` makes another one of such a value.

    `stored` gives any value as it comes back from a store, and raises what is wrong with it.
    """

    exact: Callable[[object], bool]
    copy: Callable[[object], object]
    stored: Callable[[object], object]
    immutable: bool


def canonical_form(type_: DataType, cls: object = None) -> CanonicalForm:
    """What is to be known of values of a type; records are instances of `cls` if it is a dataclass.

    >>> from holdfast.types import DOUBLE, LONG
    >>> number = canonical_form(LONG)
    >>> number.exact(5), number.exact(True), number.exact(2**63)
    (True, False, False)
    >>> canonical_form(DOUBLE).stored(3)
    3.0
    """
    source, classes = canonical_source(), classes_of(cls)
    check = value_checker(type_, classes)
    exact = source.expression("x", exactness_of(type_, classes, "x", source))
    copy = source.expression("x", copy_of(type_, classes, "x", source))
    build = source.expression("x", build_of(type_, classes, "x", source))
    return CanonicalForm(exact, copy, lambda value: build(check(value, "result")), is_immutable(type_, classes))
