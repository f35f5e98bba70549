"""The updates that a watcher of a store receives."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class StoreUpdate(NamedTuple, Generic[K, V]):
    """What a store was given up to the end of an epoch: keys with their new values, None where one was deleted.

    The first one of a subscription has everything that is watched and says so.
    """

    epoch: int
    changes: dict[K, V | None]
    is_snapshot: bool = False
