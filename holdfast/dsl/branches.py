"""The branches of a split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from holdfast.errors import UnknownField
from holdfast.names import did_you_mean
from holdfast.position import user_position

S = TypeVar("S")


class Branches(Mapping[str, S], Generic[S]):
    """The branches of a split, as attributes and items."""

    def __init__(self, branches: Mapping[str, S]) -> None:
        self._branches = dict(branches)

    def __getattr__(self, name: str) -> S:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> S:
        if name not in self._branches:
            raise UnknownField(
                f"the split has no branch {name!r}{did_you_mean(name, self._branches)}", at=user_position()
            )
        return self._branches[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._branches)

    def __len__(self) -> int:
        return len(self._branches)
