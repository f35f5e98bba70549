"""Snapshots of the latest epochs of a replica, so that several replicas can be read at the same one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from holdfast.stores.replica import Replica
from holdfast.stores.snapshot import Snapshot

_AGE = 5.0
_MOST = 200


@dataclass
class _Kept:
    snapshot: Snapshot
    readers: int = 0
    used: float = field(default_factory=time.monotonic)
    is_over: bool = False


class RecentSnapshots:
    """Keeps the snapshot of each epoch for some seconds, and for as long as it is read."""

    def __init__(self, replica: Replica, age: float = _AGE, most: int = _MOST) -> None:
        self._replica = replica
        self._age = age
        self._most = most
        self._kept: dict[int, _Kept] = {}
        self._changed = threading.Condition()
        self._newest: int | None = None
        self._timeline: str | None = None
        self._readers = 0
        self._closed = False

    @property
    def newest(self) -> int | None:
        """The latest epoch; None while there is no whole one."""
        return self._newest

    def take(self) -> None:
        """Keep the epoch that the replica is at, if it is a new one."""
        snapshot = self._replica.snapshot()
        epoch, position = snapshot.epoch, snapshot.position
        timeline = None if position is None else position.timeline
        with self._changed:
            is_earlier = epoch is None or (self._newest is not None and epoch < self._newest)
            if is_earlier or timeline != self._timeline:
                self._forget()  # what follows may have the same epochs with another content
            self._timeline = timeline
            if epoch is None or epoch in self._kept or self._closed:
                snapshot.close()
            else:
                self._kept[epoch] = _Kept(snapshot)
            self._newest = epoch
            self._prune()
            self._changed.notify_all()

    def await_epoch(self, epoch: int, timeout: float) -> bool:
        """Wait until an epoch is there or has been passed."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._is_at(epoch), timeout)

    @contextmanager
    def reading(self, epoch: int) -> Iterator[Snapshot | None]:
        """The snapshot of an epoch, None if it is not kept; it stays at least as long as it is read."""
        with self._changed:
            kept = self._kept.get(epoch)
            if kept is not None:
                kept.readers += 1
                self._readers += 1
        try:
            yield None if kept is None else kept.snapshot
        finally:
            if kept is not None:
                self._leave(kept)

    def close(self) -> None:
        """Let all of them go; those that are read a moment later."""
        with self._changed:
            self._closed, self._newest = True, None
            self._forget()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._readers, self._age)

    def _forget(self) -> None:
        for each in self._kept.values():
            each.is_over = True
            if not each.readers:
                each.snapshot.close()
        self._kept = {}

    def _is_at(self, epoch: int) -> bool:
        return epoch in self._kept or (self._newest is not None and self._newest > epoch)

    def _leave(self, kept: _Kept) -> None:
        with self._changed:
            kept.readers -= 1
            self._readers -= 1
            kept.used = time.monotonic()
            if kept.is_over and not kept.readers:
                kept.snapshot.close()
            self._changed.notify_all()

    def _prune(self) -> None:
        now = time.monotonic()
        for epoch, each in sorted(self._kept.items()):
            is_over = now - each.used > self._age or len(self._kept) > self._most
            if epoch != self._newest and not each.readers and is_over:
                each.snapshot.close()
                del self._kept[epoch]
