"""The classes that values have, with those of what they hold: found where the program is, used where it runs."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

ITEM = ""


@dataclass(frozen=True)
class Classes:
    """A dataclass, if the value is of one, and the classes of its parts by the names of its fields.

    What a list or a dict holds is under `ITEM`, what a pair holds under `_1` and `_2`.
    """

    cls: type | None = None
    parts: Mapping[str, Classes] = field(default_factory=dict)

    def part(self, name: str) -> Classes:
        """The classes of a part."""
        return self.parts.get(name, _NONE)


_NONE = Classes()


def classes_of(declared: object, outer: tuple[type, ...] = ()) -> Classes:
    """The classes of what was declared.

    Types written as text are found here; a process that the class was sent to does not have what the text names.

    >>> classes_of(list[int]).part(ITEM).cls is None
    True
    """
    if isinstance(declared, Classes):
        return declared
    some = _some(declared)
    origin, arguments = typing.get_origin(some), typing.get_args(some)
    if origin in (list, dict) and arguments:
        return Classes(parts={ITEM: classes_of(arguments[-1], outer)})
    if origin is tuple:
        return Classes(parts={f"_{number}": classes_of(each, outer) for number, each in enumerate(arguments, 1)})
    if not isinstance(some, type) or not dataclasses.is_dataclass(some) or some in outer:
        return _NONE
    hints = typing.get_type_hints(some)
    return Classes(some, {name: classes_of(hint, (*outer, some)) for name, hint in hints.items()})


def defaults_of(cls: type | None) -> dict[str, Callable[[], object]]:
    """What makes the default of each field of a dataclass; None where the class says nothing.

    >>> defaults_of(None)
    {}
    """
    return {each.name: _default(each) for each in dataclasses.fields(cls)} if cls else {}


def _default(field: dataclasses.Field[object]) -> Callable[[], object]:
    factory = field.default_factory
    if callable(factory):
        return factory
    return lambda: None if _is_missing(field.default) else field.default


def _is_missing(value: object) -> bool:
    """Whether there is none; in a class that was sent to another process, "none" is another object."""
    return type(value) is type(dataclasses.MISSING)


def _some(hint: object) -> object:
    """`X` of `X | None`."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return hint
    rest = [each for each in typing.get_args(hint) if each is not type(None)]
    return rest[0] if len(rest) == 1 else hint
