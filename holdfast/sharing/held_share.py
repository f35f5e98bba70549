"""A share of the partitions that this server holds: its replica, the thread that follows it, and its latest epochs."""

from __future__ import annotations

import shutil
from pathlib import Path

from holdfast.sharing.recent_snapshots import RecentSnapshots
from holdfast.stores.follower import Follower
from holdfast.stores.replica import Replica
from holdfast.stores.share import Share
from holdfast.stores.status import Status
from holdfast.topics.client import ClientSettings


class HeldShare:
    """Holds one share from `start` to `stop`; a file that is there is gone on with."""

    def __init__(self, app: str, directory: Path, kafka: ClientSettings, share: Share) -> None:
        self.share = share
        self._directory = directory
        self._is_ready = False
        self.replica = Replica(directory)
        self.recent = RecentSnapshots(self.replica)
        self.follower = Follower(app, self.replica, kafka, share)

    def start(self) -> HeldShare:
        """Follow it from now on."""
        self.recent.take()
        self.replica.on_change = self.recent.take
        self.follower.start()
        return self

    def stop(self, *, remove: bool = False) -> None:
        """Follow it no longer, and remove its file if another server has taken it over."""
        self.follower.stop()
        self.recent.close()
        self.replica.close()
        if remove:
            shutil.rmtree(self._directory, ignore_errors=True)

    def status(self) -> Status:
        """How far it is."""
        with self.replica.reading() as snapshot:
            return self.follower.status(snapshot)

    def look(self) -> Status:
        """How far it is, and so whether it can be read from now on."""
        found = self.status()
        self._is_ready = found.ready
        return found

    @property
    def epoch(self) -> int | None:
        """The epoch that it can be read at; None while it is restored."""
        return self.recent.newest if self._is_ready else None
