"""The stores of an app that several servers share, read as if all of them were here."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from contextvars import ContextVar
from pathlib import Path

from confluent_kafka import KafkaException

from holdfast.errors import HoldfastError
from holdfast.private_files import write_private
from holdfast.sharing import peer_server
from holdfast.sharing.held_share import HeldShare
from holdfast.sharing.membership import Member, Membership
from holdfast.sharing.parts import TARGET, LocalPart, Part, RemotePart
from holdfast.sharing.peer_client import PeerClient
from holdfast.sharing.peer_server import PeerService
from holdfast.sharing.shared_follower import SharedFollower
from holdfast.sharing.shared_snapshot import SharedSnapshot, is_of_timeline
from holdfast.sharing.shares import Shares
from holdfast.sharing.sharing import Sharing
from holdfast.stores.backend import PeerPort, Stores
from holdfast.stores.catalog import Catalog
from holdfast.stores.epoch_position import EpochPosition, timelines
from holdfast.stores.follower import Follower
from holdfast.stores.history import Changed
from holdfast.stores.replica import Replica
from holdfast.stores.share import NOTHING
from holdfast.stores.snapshot import TIMELINES, Snapshot
from holdfast.topics.client import client_settings

_LOOK = 0.2
_LEAVING = 0.3
_MOST_EPOCHS = 1000

log = logging.getLogger("holdfast.sharing")


class SharedReplica(Replica):
    """Snapshots of all shares; what one replica has besides them is not there."""

    def __init__(self, stores: SharedStores) -> None:
        self._stores = stores
        self._current: ContextVar[Snapshot | None] = ContextVar("holdfast-shared-snapshot", default=None)

    def snapshot(self) -> Snapshot:
        """A snapshot of now; close it."""
        return self._stores.snapshot()

    def history_begin(self) -> int | None:
        """No history is shared."""
        return None

    def changes_after(self, epoch: int, most: int = 10_000) -> tuple[int | None, list[tuple[int, list[Changed]]]]:
        """No history is shared."""
        return None, []


class SharedStores(Stores):
    """Holds some shares of the partitions, asks other servers for the rest, and answers what they ask."""

    is_shared = True

    def __init__(
        self, app: str, brokers: str, state_dir: Path, kafka: Mapping[str, str] | None, sharing: Sharing
    ) -> None:
        directory, settings = state_dir / app / "shares", client_settings(brokers, kafka)
        self.app = app
        self.kafka = settings
        self._sharing = sharing
        self._url = sharing.url
        self._known_replica = _own_replica(directory)
        self._known_replica.on_change = self._learn
        self._known = Follower(app, self._known_replica, settings, NOTHING)
        self.membership = Membership(app, _name(directory), brokers, kafka, sharing.secret)
        self.shares = Shares(app, directory, settings, sharing.standbys + 1)
        self.replica = SharedReplica(self)
        self.follower = SharedFollower(self._known, self.shares, self.membership)
        self._peers = PeerClient(self.membership, sharing.secret, sharing.authority)
        self._learned: deque[tuple[EpochPosition, float]] = deque(maxlen=_MOST_EPOCHS)
        self._timelines = self._known_timelines()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"holdfast-shares-{app}", daemon=True)

    def for_peers(self) -> PeerPort | None:
        """What other servers ask of this one."""
        return PeerPort(peer_server.build(PeerService(self.readable), self._sharing.secret), self._sharing.port)

    def advertise(self, url: str) -> None:
        """Others ask this server there, unless it was said otherwise."""
        self._url = self._sharing.url or url

    @property
    def url(self) -> str:
        """Where other servers ask this one."""
        return self._url

    def start(self) -> SharedStores:
        """Follow, hear the others, and hold what is this server's."""
        self._known.start()
        self.membership.start()
        self._thread.start()
        return self

    def leave(self) -> None:
        """Say that this server is gone, and answer for a moment those who have not heard it yet."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()
            others = self.membership.others(self.shares.of)
            self.membership.stop()
            time.sleep(_LEAVING if others else 0)

    def stop(self) -> None:
        """Leave the others, and close the files."""
        if not self._stop.is_set():
            self.leave()
        self.shares.stop()
        self._known.stop()
        self._known_replica.close()
        self._peers.close()

    def staleness(self, epoch: int) -> float:
        """For how many seconds a later epoch has been known, which the app has ended."""
        known = [learned for later, learned in self._learned.copy() if later.epoch > epoch]
        return time.monotonic() - known[0] if known else 0.0

    def snapshot(self) -> Snapshot:
        """All shares at one epoch: the freshest that all of them have or soon will have, or the one that is wanted."""
        catalog, of = self.catalog, self.shares.of
        has_epochs = not catalog.live and catalog.epoch_offsets is not None
        at = self._position(catalog, self._epoch(catalog, self.membership.others(of))) if has_epochs else None
        with ExitStack() as leases:
            local = self._local(of, at, leases)
            rest = [number for number in range(of) if number not in local]
            remote = RemotePart(self._peers, catalog, rest, of, at) if rest else None
            partitions, past = self.shares.partitions, self._timelines_until(at)
            return SharedSnapshot(catalog, at, local, remote, of, partitions, leases.pop_all(), past)

    def _position(self, catalog: Catalog, epoch: int) -> EpochPosition:
        """What is known of an epoch of the timeline that the app is in; how far it had read, if not much is."""
        newest = catalog.position
        if newest is not None and newest.epoch == epoch:
            return newest
        timeline = None if newest is None else newest.timeline
        known = (each for each, _ in reversed(self._learned.copy()) if each.epoch == epoch)
        found = next(known, None)
        return found if found is not None and found.timeline == timeline else EpochPosition(epoch, timeline)

    def _timelines_until(self, position: EpochPosition | None) -> bytes | None:
        """The timelines that came up to that of a position; None if that is not known to be the last one."""
        seen = timelines(self._timelines)
        return self._timelines if position is not None and seen[-1:] == [position.timeline] else None

    def _local(self, of: int, at: EpochPosition | None, leases: ExitStack) -> dict[int, Part]:
        """The shares that can be read here at an epoch."""
        found: dict[int, Part] = {}
        for number, held in self.shares.held.items():
            if self.readable(number, of) is None:
                continue
            reading = held.replica.reading() if at is None else held.recent.reading(at.epoch)
            snapshot = leases.enter_context(reading)
            if snapshot is not None and (at is None or is_of_timeline(snapshot, at.timeline)):
                found[number] = LocalPart(number, snapshot)
        return found

    def readable(self, number: int, of: int) -> HeldShare | None:
        """A share that can be read here."""
        held = self.shares.held.get(number) if of == self.shares.of else None
        return held if held is not None and (held.epoch is not None or self.catalog.live) else None

    def _epoch(self, catalog: Catalog, others: Sequence[Member]) -> int:
        """The last epoch that the app has ended, or an earlier one if a share is not there yet and nobody is ahead."""
        if (target := TARGET.get()) is not None:
            return target
        newest = catalog.epoch
        for number, held in self.shares.held.items():
            here = held.recent.newest
            there = max((each.epoch(number) or -1 for each in others), default=-1)
            if here is not None and here >= there:
                newest = min(newest, here)
        return newest

    def _learn(self) -> None:
        """Note when an epoch became known."""
        position, last = self._known.catalog.position, self._learned[-1][0] if self._learned else None
        self._timelines = self._known_timelines()
        if position is None or position == last:
            return
        if last is not None and (position.epoch < last.epoch or position.timeline != last.timeline):
            self._learned.clear()  # the app began again from nothing
        self._learned.append((position, time.monotonic()))

    def _known_timelines(self) -> bytes | None:
        with self._known_replica.reading() as snapshot:
            return snapshot.meta(TIMELINES)

    def _run(self) -> None:
        while not self._stop.wait(_LOOK):
            try:
                self._look()
            except (KafkaException, HoldfastError, OSError, TimeoutError) as error:
                log.warning("the shares of %s: %s; trying again", self.app, error)

    def _look(self) -> None:
        if self.catalog.topology is None:
            return
        self.shares.measure(self.catalog)
        dropped: Collection[HeldShare] = ()
        if self.membership.is_settled:
            dropped = self.shares.hold(self.membership.name, self.membership.others(self.shares.of))
        self.membership.say(self.shares.said(self._url, is_live=self.catalog.live))
        for each in dropped:  # only now: others are asked for it from here on
            each.stop(remove=True)


def _own_replica(directory: Path) -> Replica:
    found = Replica(directory / "known")
    if not found.environment.owned:
        found.close()
        raise HoldfastError(
            f"another server shares from {directory}: give each server a directory of its own with --state-dir"
        )
    return found


def _name(directory: Path) -> str:
    """The name of this server, which a restart keeps: what it held is in its files."""
    path = directory / "name"
    if not path.exists():
        write_private(path, secrets.token_hex(8))
    return path.read_text()
