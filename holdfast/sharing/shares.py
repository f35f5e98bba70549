"""The shares that this server holds: those that it is to hold, and others until those that are to have them do."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.sharing.assignment import assign
from holdfast.sharing.held_share import HeldShare
from holdfast.sharing.membership import Member, Said
from holdfast.stores.catalog import Catalog
from holdfast.stores.changelog import Changelog
from holdfast.stores.share import Share
from holdfast.topics.client import ClientSettings

_MEASURE = 5.0
_MOST = 16
_HANDOVER = 1.0

log = logging.getLogger("holdfast.sharing")


class Shares:
    """Changed by one thread; others read `held`, which is replaced and never changed."""

    def __init__(self, app: str, directory: Path, kafka: ClientSettings, replicas: int) -> None:
        self.held: Mapping[int, HeldShare] = {}
        self.of = 0
        self.partitions: Mapping[str, int] = {}
        self._app = app
        self._directory = directory
        self._kafka = kafka
        self._replicas = replicas
        self._unwanted: dict[int, float] = {}
        self._measured = 0.0

    def measure(self, catalog: Catalog) -> None:
        """Now and then, see how many partitions there are, and so how many shares: each has some of every store."""
        if time.monotonic() - self._measured < _MEASURE:
            return
        changelog = Changelog(self._kafka)
        try:
            found = changelog.describe(store.changelog for store in catalog.stores.values())
        finally:
            changelog.close()
        self._measured = time.monotonic()
        self.partitions = {name: len(topic.partitions) for name, topic in found.items()}
        of = min([_MOST, *self.partitions.values()])
        if of != self.of:
            self._begin_anew(of)

    def hold(self, own: str, others: Sequence[Member]) -> list[HeldShare]:
        """Take what this server is to hold; give what it need not hold any more."""
        wanted = assign([own, *(each.name for each in others)], self.of, self._replicas)
        dropped: list[HeldShare] = []
        for number, servers in wanted.items():
            if own in servers and number not in self.held:
                self._take(number)
            ready = [each.name for each in others if each.name in servers and each.epoch(number) is not None]
            if own in servers or number not in self.held or len(ready) < len(servers):
                self._unwanted.pop(number, None)
            elif time.monotonic() - self._unwanted.setdefault(number, time.monotonic()) > _HANDOVER:
                dropped.append(self._drop(number))
        return dropped

    def said(self, url: str, *, is_live: bool) -> Said:
        """What others are to know of what is held here."""
        epochs, restoring = dict[str, int](), dict[str, int]()
        for number, held in self.held.items():
            status, epoch = held.look(), held.epoch
            if epoch is not None or (is_live and status.ready):
                epochs[str(number)] = epoch or 0
            else:
                restoring[str(number)] = sum(each or 0 for each in status.lag.values())
        return Said(url, self.of, epochs, restoring)

    def stop(self) -> None:
        """Close the files."""
        for held in self.held.values():
            held.stop()

    def _begin_anew(self, of: int) -> None:
        """The number of shares is another: nothing that was held is one of them."""
        self.stop()
        self.held, self._unwanted, self.of = {}, {}, of
        for path in self._directory.glob("*-of-*"):
            if not path.name.endswith(f"-of-{of}"):
                shutil.rmtree(path, ignore_errors=True)

    def _take(self, number: int) -> None:
        log.info("share %d of %d is held here from now on", number, self.of)
        directory = self._directory / f"{number}-of-{self.of}"
        held = HeldShare(self._app, directory, self._kafka, Share(number, self.of)).start()
        self.held = {**self.held, number: held}

    def _drop(self, number: int) -> HeldShare:
        log.info("share %d of %d is held by others", number, self.of)
        dropped = self.held[number]
        self.held = {each: held for each, held in self.held.items() if each != number}
        del self._unwanted[number]
        return dropped
