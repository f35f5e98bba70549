"""The thread that keeps a replica up to date with its app's topics."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping

import lmdb
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from holdfast.errors import HoldfastError
from holdfast.stores import status
from holdfast.stores.catalog import Catalog, NotOfTheApp
from holdfast.stores.changelog import Changelog, Partition, Topic, ends
from holdfast.stores.connection import Connection, FollowerState, TopicChanged
from holdfast.stores.replica import Replica
from holdfast.stores.share import EVERYTHING, Share
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.status import Status
from holdfast.topics.client import LOGGER, ClientSettings

_RETRY = 1.0
_AGAIN = 0.2
_STUCK = 60.0
_CALM = 10.0

log = logging.getLogger("holdfast.stores")


class Follower:
    """Reads the meta topic and, in the process that owns the replica, the changelogs."""

    def __init__(self, app: str, replica: Replica, kafka: ClientSettings, share: Share = EVERYTHING) -> None:
        self._share = share
        self.problem: str | None = None
        self._failure: str | None = None
        self._failed_at = 0.0
        self._replica = replica
        self._kafka = kafka
        self._stop = threading.Event()
        self._measuring = threading.Lock()
        self._admin: AdminClient | None = None
        self._thread = threading.Thread(target=self._run, name=f"holdfast-replica-{app}", daemon=True)
        self._state = FollowerState(Catalog(app))
        self._recall()

    @property
    def catalog(self) -> Catalog:
        """What the app has published, as far as it was read."""
        return self._state.catalog

    @property
    def meta_offset(self) -> int:
        """How far the meta topic was read."""
        return self._state.meta_offset

    def measure_meta(self) -> int:
        """Ask the broker for the end of the meta topic."""
        with self._measuring:
            if self._admin is None:
                self._admin = AdminClient(self._kafka, logger=LOGGER)
        partition = Partition(self.catalog.topic, 0)
        return ends(self._admin, [partition]).get(partition, 0)

    @property
    def restores(self) -> Mapping[str, int]:
        """How often each store was read from the beginning of its changelog, since the start."""
        return dict(self._state.restores)

    def start(self) -> None:
        """Begin to follow, once."""
        if self._thread.ident is None:
            self._thread.start()

    def stop(self) -> None:
        """Stop after the batch in hand."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    @property
    def alive(self) -> bool:
        """Whether the thread runs and moves."""
        return self._thread.is_alive() and time.monotonic() - self._state.beat < _STUCK

    @property
    def stuck(self) -> str | None:
        """What keeps the replica from going on, other than a broker that does not answer; None if nothing does."""
        failure = self._failure if time.monotonic() - self._failed_at < _CALM else None
        return failure or self._state.writer.problem

    def status(self, snapshot: Snapshot) -> Status:
        """How far the replica is, at a snapshot."""
        known, catalog = self._state, self.catalog
        known.settled = known.settled or snapshot.is_consistent
        why = status.reasons(catalog, snapshot, known.ends, known.caught_up)
        if not why and not known.settled and not catalog.live and catalog.epoch_offsets is not None:
            why = (f"epoch {catalog.epoch} is not complete yet",)
        lags = {s.name: status.lag(s.changelog, snapshot.progress(s.name), known.ends) for s in catalog.stores.values()}
        role = "writer" if self._replica.environment.owned else "reader"
        problem, foreign = self.problem or self.stuck, known.foreign
        restoring = known.restoring.now if why and self._replica.environment.owned else None
        return Status(
            not why, why, role, lags, snapshot.epoch, catalog.epoch, problem, foreign.count, foreign.by_topic, restoring
        )

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._connect()
            except TopicChanged as changed:
                log.info("replica of %s: %s", self.catalog.app, changed)
                self._stop.wait(_AGAIN)
            except (KafkaException, TimeoutError) as error:
                self._fail(f"Kafka at {self._kafka.get('bootstrap.servers')} does not answer ({_reason(error)})")
            except (lmdb.CorruptedError, lmdb.PageNotFoundError) as error:
                self._replica.environment.mark_damaged()
                self._get_stuck(
                    f"the replica is damaged ({error}); restart the server that writes it, which makes it anew"
                )
            except (HoldfastError, lmdb.Error, OSError) as error:
                self._get_stuck(str(error) or repr(error))
            except Exception as error:
                if repr(error) != self._failure:
                    log.exception("replica of %s", self.catalog.app)
                self._get_stuck(repr(error))

    def _get_stuck(self, problem: str) -> None:
        """It is tried again, but seen as standing still until nothing has failed for a while."""
        again = problem == self.stuck
        self._failure, self._failed_at = problem, time.monotonic()
        self.problem = problem if again else self.problem
        self._fail(problem)

    def _fail(self, problem: str) -> None:
        if problem != self.problem:
            log.warning("replica of %s: %s; trying again", self.catalog.app, problem)
        self.problem = problem
        self._state.beat = time.monotonic()
        self._stop.wait(_RETRY)

    def _connect(self) -> None:
        changelog = Changelog(self._kafka)
        try:
            meta = self._find_meta(changelog)
            if meta is not None:
                Connection(self._state, self._replica, changelog, meta, self._share).run(self._stop)
        finally:
            changelog.close()

    def _find_meta(self, changelog: Changelog) -> Topic | None:
        meta = changelog.describe([self.catalog.topic]).get(self.catalog.topic)
        self.problem, self._state.beat = None, time.monotonic()
        if meta is None:
            self._stop.wait(_RETRY)
        elif self._state.meta.get("meta:id") != meta.id.encode():
            self._state.catalog = Catalog(self.catalog.app)
            self._state.meta = {"meta:id": meta.id.encode()}
        return meta

    def _recall(self) -> None:
        """Take up what the replica knows, so that it can answer before the broker does."""
        self._replica.find([])
        self._replica.find(self._replica.stores())
        with self._replica.reading() as snapshot:
            for name in ("meta:id", "meta:offset", "meta:topology", "meta:epoch"):
                if (data := snapshot.meta(name)) is not None:
                    self._state.meta[name] = data
        try:
            for key in ("topology", "epoch"):
                if data := self._state.meta.get(f"meta:{key}"):
                    self._state.catalog = self.catalog.updated(key.encode(), data)
        except NotOfTheApp as error:
            log.warning("replica of %s: what it knows of the app is read again: %s", self.catalog.app, error)
            self._state.meta, self._state.catalog = {}, Catalog(self.catalog.app)


def _reason(error: KafkaException | TimeoutError) -> str:
    return error.args[0].str() if isinstance(error, KafkaException) else "timed out"
