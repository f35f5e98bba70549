"""One connection to the broker: the topics that it follows, and the changes that it brings into the replica."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import orjson

from holdfast.stores import status
from holdfast.stores.catalog import Catalog, NotOfTheApp, Store
from holdfast.stores.changelog import Change, Changelog, Partition, Polled, Topic
from holdfast.stores.epoch_buffer import BufferedChange, ChangeBatch, EpochBuffer, PublishedEpoch
from holdfast.stores.epoch_position import EpochPosition, with_timeline
from holdfast.stores.foreign_records import ForeignRecords
from holdfast.stores.replica import Put, Replica
from holdfast.stores.restore_meter import RestoreMeter
from holdfast.stores.share import EVERYTHING, Share
from holdfast.stores.snapshot import POSITION, TIMELINES, Progress
from holdfast.stores.status import ChangelogEnds
from holdfast.stores.writer_watch import WriterWatch

_TICK = 1.0
_LOOK = 5.0
_COMPLETE = 60_000

log = logging.getLogger("holdfast.stores")


class TopicChanged(Exception):
    """A followed topic is not the one it was; everything is looked at again."""


@dataclass
class FollowerState:
    """What outlives a connection; one thread writes it, others read."""

    catalog: Catalog
    meta: dict[str, bytes] = field(default_factory=dict)
    progress: dict[str, Progress] = field(default_factory=dict)
    ends: ChangelogEnds = field(default_factory=ChangelogEnds)
    caught_up: bool = False
    settled: bool = False  # whether there was a whole epoch to read since the start
    foreign: ForeignRecords = field(default_factory=ForeignRecords)
    restores: Counter[str] = field(default_factory=Counter)
    beat: float = field(default_factory=time.monotonic)
    writer: WriterWatch = field(default_factory=WriterWatch)
    restoring: RestoreMeter = field(default_factory=RestoreMeter)

    @property
    def meta_offset(self) -> int:
        """The next record of the meta topic."""
        return int(self.meta.get("meta:offset", b"0"))


class Connection:
    """Follows the topics of an app over one connection."""

    def __init__(
        self, state: FollowerState, replica: Replica, changelog: Changelog, meta: Topic, share: Share = EVERYTHING
    ) -> None:
        self._share = share
        self._state = state
        self._replica = replica
        self._changelog = changelog
        self._meta = meta
        self._meta_end = 0
        self._topics: dict[str, Topic] = {}
        self._stores: dict[str, Store] = {}
        self._seen: Mapping[str, Store] | None = None
        self._looked = self._ticked = 0.0
        self._saved_meta = -1
        self._whole: PublishedEpoch | None = None
        state.writer.begin()
        self._buffer = EpochBuffer(share)
        if state.catalog.epoch_offsets is not None:
            self._buffer.publish(_published(state.catalog, state.catalog.epoch_offsets))

    def run(self, stop: threading.Event) -> None:
        """Follow until stopped or until a topic is replaced."""
        self._measure_meta()
        while not stop.is_set():
            self._state.beat = time.monotonic()
            self._tick()
            self._apply(self._changelog.poll(0.2))

    def _measure_meta(self) -> None:
        partition = Partition(self._meta.name, 0)
        self._meta_end = self._changelog.ends([partition]).get(partition, 0)
        if self._state.meta_offset > self._meta_end:
            self._state.meta = {}
            raise TopicChanged(f"{self._meta.name} is shorter than it was: reading it again")
        self._state.caught_up = self._state.caught_up or self._state.meta_offset >= self._meta_end

    def _tick(self) -> None:
        now = time.monotonic()
        if self._state.catalog.stores is not self._seen or now - self._looked > _LOOK:
            self._looked = self._ticked = now
            self._refresh_topics()
        elif now - self._ticked > _TICK:
            self._ticked = now
            self._measure()
            self._record_complete()
            self._check_writer()

    def _check_writer(self) -> None:
        """As a reader: notice that nobody writes the replica any more, though the writer's process is there."""
        if self._replica.environment.owned:
            self._state.writer.reset()
            return
        with self._replica.reading() as snapshot:
            self._state.writer.look(self._state.catalog, snapshot, self._state.ends)

    def _refresh_topics(self) -> None:
        """See which topics there are, and follow them; a store that does not fit its topic is rebuilt."""
        stores = self._state.catalog.stores
        found = self._changelog.describe([self._meta.name, *(store.changelog for store in stores.values())])
        self._compare(found)
        self._topics = {name: self._shared(topic) for name, topic in found.items() if name != self._meta.name}
        followed = {name for name, topic in self._topics.items() if topic.partitions}
        self._stores = {store.changelog: store for store in stores.values() if store.changelog in followed}
        self._measure()
        if self._replica.try_own():
            self._reconcile_stores()
        else:
            self._replica.find(stores)
        self._changelog.follow({Partition(self._meta.name, 0): self._state.meta_offset, **self._positions()})
        self._seen = stores

    def _shared(self, topic: Topic) -> Topic:
        """A topic with those of its partitions that are followed."""
        return replace(topic, partitions=tuple(filter(self._share.has, topic.partitions)))

    def _compare(self, found: Mapping[str, Topic]) -> None:
        for name, topic in {self._meta.name: self._meta, **self._topics}.items():
            if name in found and found[name].id != topic.id:
                raise TopicChanged(f"{name} was made anew")

    def _measure(self) -> None:
        partitions = [Partition(topic.name, n) for topic in self._topics.values() for n in topic.partitions]
        wanted = {store.changelog for store in self._state.catalog.stores.values()}
        absent, began = frozenset(wanted - self._topics.keys()), time.monotonic()
        ends = self._changelog.ends(partitions)
        # What the app has committed is written, but a partition that has no marker yet seems to end before it.
        written = {**ends, **self._changelog.ends(self._buffer.short_of_newest(ends), committed=False)}
        self._state.ends = self._state.ends.seen(ends, absent, began, written)
        self._measure_restore()

    def _measure_restore(self) -> None:
        """How far what was there at the start has been read, up to the epoch that the app has ended."""
        limits = self._state.catalog.epoch_offsets or {}
        first = self._state.ends.first
        wanted = {p: min(end, limits.get(p, end)) for p, end in first.items() if p.topic in self._stores}
        applied = self._applied()
        read = sum(min(end, max(applied.get(p, 0), self._buffer.position(p))) for p, end in wanted.items())
        self._state.restoring.look(read, sum(wanted.values()))

    def _reconcile_stores(self) -> None:
        """As the writer: remove stores that the program dropped, rebuild those that cannot be resumed."""
        self._replica.environment.forget_dead_readers()
        with self._replica.reading() as snapshot:
            self._state.progress = {s: p for s in self._replica.stores() if (p := snapshot.progress(s)) is not None}
        catalog = self._state.catalog
        if catalog.topology is not None and self._state.caught_up:
            for gone in self._state.progress.keys() - catalog.stores.keys():
                self._replica.remove(gone)
                del self._state.progress[gone]
        for store in self._stores.values():
            if why := self._reason_to_rebuild(store):
                log.info("store %s is read from the beginning of %s: %s", store.name, store.changelog, why)
                self._rebuild(store)

    def _reason_to_rebuild(self, store: Store) -> str | None:
        progress, topic = self._state.progress.get(store.name), self._topics[store.changelog]
        if progress is None:
            return "it is new here"
        if not progress.fits(store.changelog, topic.id, store.key, store.value):
            return "the topic or the types are others"
        if self._seen is None and _now() - progress.at > self._changelog.tombstone_retention(topic.name):
            return "the replica is so old that deletes may be gone from the topic"
        ends = self._state.ends.last
        beyond = any(at > ends.get(Partition(topic.name, n), at) for n, at in progress.offsets.items())
        return "the topic is shorter than the replica" if beyond else None

    def _rebuild(self, store: Store) -> None:
        topic = self._topics[store.changelog]
        progress = Progress(topic.name, topic.id, store.key, store.value, at=_now())
        self._replica.rebuild(store.name, progress)
        self._state.restores[store.name] += 1
        self._state.progress[store.name] = progress
        self._state.ends = self._state.ends.forgetting(topic.name)
        self._changelog.forget(topic.name)
        self._buffer.forget(topic.name)
        self._measure()

    def _positions(self) -> dict[Partition, int | None]:
        if not self._replica.environment.owned:
            return {}
        return {
            Partition(name, number): self._state.progress[store.name].offsets.get(number)
            for name, store in self._stores.items()
            for number in self._topics[name].partitions
        }

    def _apply(self, polled: Polled) -> None:
        if polled.lost or polled.truncated:
            self._recover_lost(polled)
        news = [change for change in polled.changes if change.partition.topic == self._meta.name]
        self._read_meta(news, polled.ends.get(Partition(self._meta.name, 0), 0))
        if self._replica.environment.owned:
            self._buffer_changes(polled)
            self._apply_epochs()

    def _read_meta(self, news: list[Change], end: int) -> None:
        for change in news:
            try:
                catalog = self._state.catalog.updated(change.key, change.value)
            except NotOfTheApp as error:
                self._state.foreign.skip(change, str(error), error.__cause__ or "")
                continue
            self._state.catalog = catalog
            if change.key == b"epoch" and catalog.epoch_offsets is not None:
                self._buffer.publish(_published(catalog, catalog.epoch_offsets))
            if change.key is not None and change.value is not None:
                self._state.meta[f"meta:{change.key.decode()}"] = change.value
        position = max([change.offset + 1 for change in news] + [end, self._state.meta_offset])
        self._state.meta["meta:offset"] = str(position).encode()
        self._state.caught_up = self._state.caught_up or position >= self._meta_end

    def _recover_lost(self, polled: Polled) -> None:
        found = self._changelog.describe(polled.truncated)
        for name in polled.truncated & self._stores.keys():
            if name in found and found[name].id == self._topics[name].id:
                self._rebuild(self._stores[name])  # the same topic, but what we wanted next is gone
        raise TopicChanged(f"{', '.join(sorted(polled.lost | polled.truncated))} changed on the broker")

    def _buffer_changes(self, polled: Polled) -> None:
        for change in polled.changes:
            if store := self._stores.get(change.partition.topic):
                put = self._put(store, change)
                self._buffer.add(
                    BufferedChange(change.partition, change.offset, put, 0 if put is None else change.epoch or 0)
                )
        for partition, end in polled.ends.items():
            if partition.topic in self._stores:
                self._buffer.reach(partition, end)

    def _apply_epochs(self) -> None:
        """Apply the latest epoch that is whole; a replica that is far behind or rebuilt grows in pieces until then."""
        if self._seen is not self._state.catalog.stores:
            return  # which topics belong to it is still to be found out
        if self._state.catalog.live and self._state.caught_up:
            self._save(self._buffer.take(None), None)  # there are no epochs that one could wait for
            return
        with self._replica.reading() as snapshot:
            is_consistent = snapshot.is_consistent
        if is_consistent and self._state.caught_up and not self._share.is_everything:
            self._apply_each_epoch()
        whole = self._whole_epoch() if self._state.caught_up else None
        if whole is not None:
            known = is_consistent and whole is self._whole
            self._save(self._buffer.quiet() if known else self._buffer.take(whole), whole)
            self._whole = whole
        if self._buffer.too_many:
            self._save(self._buffer.take(None), None)
        elif whole is None and not is_consistent and self._buffer.newest is not None:
            self._save(self._buffer.take(self._buffer.newest), None)

    def _apply_each_epoch(self) -> None:
        """One after the other: replicas of other shares are to be found at the same epochs."""
        while (following := self._whole_epoch(oldest=True)) is not None:
            self._save(self._buffer.take(following), following)
            self._whole = following

    def _whole_epoch(self, *, oldest: bool = False) -> PublishedEpoch | None:
        after = self._whole if oldest else None
        if oldest and after is None:
            return None
        return self._buffer.whole(self._stores, self._applied(), self._state.ends, after)

    def _applied(self) -> dict[Partition, int]:
        return {
            Partition(progress.topic, number): at
            for progress in self._state.progress.values()
            for number, at in progress.offsets.items()
        }

    def _put(self, store: Store, change: Change) -> Put | None:
        foreign = self._state.foreign
        if change.epoch is None:
            foreign.skip(change, "it has no header hf-epoch")
            return None
        if change.key is None:
            foreign.skip(change, "it has no key")
            return None
        try:
            key = store.keys.from_topic(change.key)
        except Exception as error:  # whatever a foreign key does to the parser, the records behind it are wanted
            foreign.skip(change, f"its key is none of store {store.name}", error)
            return None
        try:
            if change.value is not None:
                orjson.loads(change.value)  # answers hand it on as it is
        except ValueError as error:
            foreign.skip(change, "its value is not JSON", error)
            return None
        return Put(store.name, key, change.value, change.time, store.versioned, change.epoch)

    def _save(self, batch: ChangeBatch, epoch: PublishedEpoch | None) -> None:
        """Write a batch in one transaction; `epoch` is None if the batch does not end with an epoch."""
        old, offsets = self._state.progress, dict[str, dict[int, int]]()
        for partition, at in batch.moved.items():
            if store := self._stores.get(partition.topic):
                offsets.setdefault(store.name, {})[partition.number] = at
        epochs = {store.name: batch.epochs.get(topic, 0) for topic, store in self._stores.items()}
        made = {name: old[name].advanced(at, epochs[name]) for name, at in offsets.items()}
        position = None if epoch is None else epoch.position or EpochPosition(epoch.epoch)
        if position is not None:
            made = {name: made.get(name, each).not_after(position.epoch) for name, each in old.items()}
        self._store(batch.puts, {name: p for name, p in made.items() if p != old[name]}, position)

    def _store(self, puts: list[Put], made: Mapping[str, Progress], position: EpochPosition | None) -> None:
        packed = None if position is None else position.packed()
        with self._replica.reading() as snapshot:
            same, seen = snapshot.meta(POSITION) == packed, snapshot.meta(TIMELINES)
        if puts or made or not same or self._state.meta_offset != self._saved_meta:
            marked = None if position is None else str(position.epoch).encode()
            seen = seen if position is None else with_timeline(seen, position.timeline)
            own = {"epoch": marked, POSITION: packed, TIMELINES: seen}
            self._replica.apply(puts, made, {**self._state.meta, **own})
            self._state.progress = {**self._state.progress, **made}
            self._saved_meta = self._state.meta_offset

    def _record_complete(self) -> None:
        """Once a minute, note that stores are complete: a replica that is too old must not be resumed."""
        if self._replica.environment.owned:
            now, ends = _now(), self._state.ends
            old = {n: p for n, p in self._state.progress.items() if now - p.at > _COMPLETE}
            done = {n: replace(p, at=now) for n, p in old.items() if status.lag(p.topic, p, ends) == 0}
            if done:
                with self._replica.reading() as snapshot:
                    position = snapshot.position
                self._store([], done, position)


def _published(catalog: Catalog, offsets: Mapping[Partition, int]) -> PublishedEpoch:
    return PublishedEpoch(catalog.epoch, offsets, catalog.position)


def _now() -> int:
    return int(time.time() * 1000)
