"""The updates that a watcher of a store receives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class StoreUpdate(Generic[K, V]):
    """What a store was given up to the end of an epoch: keys with their new values, None where one was deleted.

    The first one of a subscription has everything that is watched and says so. `watch(after=update.id)` goes on behind
    it, also in another process.
    """

    epoch: int
    changes: dict[K, V | None]
    is_snapshot: bool = False
    id: str = field(default="", compare=False, repr=False)
