"""The ways out of a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from holdfast.errors import UnknownField
from holdfast.names import did_you_mean
from holdfast.position import user_position

S = TypeVar("S")


class Branches(Mapping[str, S], Generic[S]):
    """The branches of a split, as attributes and items."""

    def __init__(self, ways: Mapping[str, S]) -> None:
        self._ways = dict(ways)

    def __getattr__(self, name: str) -> S:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> S:
        if name not in self._ways:
            raise UnknownField(f"the split has no branch {name!r}{did_you_mean(name, self._ways)}", at=user_position())
        return self._ways[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ways)

    def __len__(self) -> int:
        return len(self._ways)
