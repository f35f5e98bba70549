"""Topics on a broker: list, create, check, write and read them; confluent_kafka is imported at first use."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from holdfast.errors import BrokerError
from holdfast.names import did_you_mean
from holdfast.topics.client import LOGGER, ClientSettings, client_settings
from holdfast.topics.records import Record, TopicInfo, TopicSpec
from holdfast.topics.transfer import LARGEST, Consumer, open_consumer, received, send
from holdfast.topics.unread_partitions import UnreadPartitions

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka import Producer, TopicPartition
    from confluent_kafka.admin import AdminClient, TopicMetadata

T = TypeVar("T")

ANSWER_SECONDS = 10.0
METADATA_SECONDS = 6.0
NO_ANSWER_SECONDS = 30.0
FLUSH_SECONDS = 60.0


class Topics:
    """The topics of one cluster.

    >>> Topics("localhost:9092").ensure([TopicSpec("players", partitions=4, compacted=True)])   # doctest: +SKIP
    """

    def __init__(self, brokers: str, kafka: Mapping[str, str] | None = None) -> None:
        self.brokers = brokers
        self._kafka = dict(kafka or {})
        self._admin: AdminClient | None = None

    def existing(self, *, internal: bool = False, timeout: float = METADATA_SECONDS) -> list[TopicInfo]:
        """Give the topics by name with their number of partitions."""
        found = self._ask(lambda admin: admin.list_topics(timeout=timeout)).topics.items()
        known = (TopicInfo(name, len(topic.partitions)) for name, topic in found)
        return sorted((t for t in known if internal or not t.name.startswith("__")), key=lambda t: t.name)

    def cluster_id(self, timeout: float = METADATA_SECONDS) -> str | None:
        """Give the id of the cluster whose broker answers."""
        return self._ask(lambda admin: admin.list_topics(timeout=timeout)).cluster_id

    def describe(self, names: Iterable[str]) -> list[TopicInfo]:
        """Give topics with their settings; one that is not there is an error."""
        there = {topic.name: topic for topic in self.existing(internal=True)}
        wanted = list(names)
        for name in wanted:
            if name not in there:
                raise BrokerError(
                    f"topic {name!r} does not exist at {self.brokers}{did_you_mean(name, there)}; "
                    f"to make it: holdfast topics create {name}"
                )
        configs = self._configs(wanted)
        return [TopicInfo(name, there[name].partitions, configs[name]) for name in wanted]

    def identities(self, names: Iterable[str]) -> dict[str, str]:
        """Give the id of each topic that is there."""
        from confluent_kafka import TopicCollection

        there = {topic.name for topic in self.existing(internal=True)}
        wanted = [name for name in names if name in there]
        if not wanted:
            return {}
        found = self._ask(lambda admin: admin.describe_topics(TopicCollection(wanted), request_timeout=ANSWER_SECONDS))
        return {name: str(self._value(future).topic_id) for name, future in found.items()}

    def size(self, topic: str) -> int:
        """Give how many offsets a topic has in use, over all partitions."""
        from confluent_kafka import TopicPartition

        consumer = self._consumer({})
        try:
            parts = [TopicPartition(topic, p) for p in range(self.describe([topic])[0].partitions)]
            return sum(self._size(consumer, part) for part in parts)
        finally:
            consumer.close()

    def _size(self, consumer: Consumer, part: TopicPartition) -> int:
        marks = consumer.get_watermark_offsets(part, timeout=ANSWER_SECONDS)
        if marks is None:
            raise self._failure(TimeoutError(f"no answer for {ANSWER_SECONDS:.0f} s"))
        return marks[1] - marks[0]

    def create(self, spec: TopicSpec) -> None:
        """Create a topic; one that is there already is an error."""
        if spec.name in {topic.name for topic in self.existing(internal=True)}:
            raise BrokerError(
                f"topic {spec.name!r} already exists at {self.brokers}: choose another name or use it as it is"
            )
        # One that is there from here on may be our own: the client repeats a request whose answer was lost.
        self.ensure([spec])

    def ensure(self, specs: Iterable[TopicSpec]) -> list[str]:
        """Create the topics that are missing and give their names; one that is there and does not fit is an error."""
        wanted = list(specs)
        there = {topic.name for topic in self.existing(internal=True)}
        missing = [spec for spec in wanted if spec.name not in there]
        made = self._create(missing)
        self.check(spec for spec in wanted if not made.get(spec.name))
        return [name for name, new in made.items() if new]

    def check(self, specs: Iterable[TopicSpec]) -> None:
        """Refuse topics that are there and do not fit."""
        wanted = list(specs)
        infos = self.describe([spec.name for spec in wanted]) if wanted else []
        faults = [fault for spec, info in zip(wanted, infos, strict=True) for fault in _faults(spec, info)]
        if faults:
            raise BrokerError(
                f"{'; '.join(faults)}. An existing topic is never changed: give it what is wanted with Kafka's own "
                "tools, delete it, or use another name"
            )

    def delete(self, names: Iterable[str]) -> None:
        """Delete topics; one that is not there is passed over."""
        from confluent_kafka import KafkaError

        wanted = list(names)
        if not wanted:
            return
        for name, future in self._ask(
            lambda admin: admin.delete_topics(wanted, operation_timeout=ANSWER_SECONDS)
        ).items():
            self._result(future, f"topic {name!r} was not deleted", KafkaError.UNKNOWN_TOPIC_OR_PART)
        self._await_end(set(wanted))

    def _await_end(self, names: set[str]) -> None:
        """Wait until nobody shows deleted topics any more: one that is shown would not be made again."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline and names & {topic.name for topic in self.existing(internal=True)}:
            time.sleep(0.02)

    def produce(self, records: Iterable[Record]) -> int:
        """Write records, partitioned as Kafka's Java clients do, and give their number once all are acknowledged."""
        from confluent_kafka import Producer

        problems: list[str] = []
        own: ClientSettings = {"partitioner": "murmur2_random", "message.max.bytes": LARGEST}
        settings = self._settings({**own, "enable.idempotence": True, "linger.ms": 5})
        producer = self._made(lambda settings: Producer(settings, logger=LOGGER), settings)
        try:
            count = self._send_all(producer, records, problems)
        finally:  # also when the records' source fails: what it gave is written
            left = producer.flush(FLUSH_SECONDS)
        if problems or left:
            why = problems[0] if problems else f"{left} records not acknowledged within {FLUSH_SECONDS:.0f} s"
            raise BrokerError(f"writing to {self.brokers} failed: {why}")
        return count

    def consume(
        self,
        topics: Sequence[str],
        *,
        from_beginning: bool = False,
        to_end: bool = False,
        idle: float | None = None,
        committed: bool = True,
    ) -> Iterator[Record]:
        """Read topics from their beginning or end: for ever, to the present end, or until `idle` quiet seconds."""
        from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, TopicPartition

        start = OFFSET_BEGINNING if from_beginning else OFFSET_END
        parts = [TopicPartition(t.name, p, start) for t in self.describe(topics) for p in range(t.partitions)]
        level = "read_committed" if committed else "read_uncommitted"
        consumer = self._consumer({"fetch.wait.max.ms": 20 if to_end else 500, "isolation.level": level})
        try:
            consumer.assign(parts)
            yield from self._poll(
                consumer, UnreadPartitions(consumer, ((p.topic, p.partition) for p in parts)), to_end, idle
            )
        finally:
            consumer.close()

    def read(self, *topics: str, committed: bool = True) -> list[Record]:
        """Give every record of the topics that is there now, each partition in offset order."""
        return list(self.consume(topics, from_beginning=True, to_end=True, committed=committed))

    def at(self, topic: str, partition: int, offset: int) -> Record | None:
        """Give the record at a place; None if it is not there any more."""
        from confluent_kafka import TopicPartition

        if topic not in {info.name for info in self.existing()}:
            return None
        consumer = self._consumer({"auto.offset.reset": "error"})
        try:
            consumer.assign([TopicPartition(topic, partition, offset)])
            deadline = time.monotonic() + NO_ANSWER_SECONDS
            while time.monotonic() < deadline:
                message = consumer.poll(0.2)
                if message is not None:
                    there = message.error() is None and message.offset() == offset
                    return received(message) if there else None
            raise self._failure(TimeoutError(f"no answer for {NO_ANSWER_SECONDS:.0f} s"))
        finally:
            consumer.close()

    def _consumer(self, more: ClientSettings) -> Consumer:
        # Nothing joins a group: the name is only what librdkafka asks for.
        own: ClientSettings = {"group.id": f"holdfast-{uuid.uuid4()}", "enable.auto.commit": False}
        return self._made(open_consumer, self._settings({**own, "enable.partition.eof": True, **more}))

    def _poll(self, consumer: Consumer, unread: UnreadPartitions, to_end: bool, idle: float | None) -> Iterator[Record]:
        quiet_since = time.monotonic()
        while not to_end or unread.left():
            message = consumer.poll(0.2)
            if message is not None:  # one without a value is false in itself
                error = message.error()
                if error is None:
                    quiet_since = time.monotonic()
                    yield received(message)
                elif error.code() == error._PARTITION_EOF:
                    unread.at_end(message)
                elif not error.retriable() and error.code() not in (error._TRANSPORT, error._ALL_BROKERS_DOWN):
                    raise BrokerError(f"reading from {self.brokers} failed: {error.str()}")
            quiet = time.monotonic() - quiet_since
            if idle is not None and quiet > idle:
                return
            if to_end and quiet > NO_ANSWER_SECONDS:
                raise self._failure(TimeoutError(f"no answer for {NO_ANSWER_SECONDS:.0f} s"))

    def _send_all(self, producer: Producer, records: Iterable[Record], problems: list[str]) -> int:
        known: set[str] = set()
        count = 0
        for record in records:
            if record.topic not in known:
                self.describe([record.topic])
                known.add(record.topic)
            send(producer, record, lambda error, _: problems.append(error.str()) if error else None)
            count += 1
            if problems:
                break
        return count

    def _create(self, specs: list[TopicSpec]) -> dict[str, bool]:
        """Create topics; false for one that somebody else made first."""
        made = self._request(specs, preferring=True)
        made |= self._request([spec for spec in specs if spec.name not in made], preferring=False)
        if made:
            self._await(set(made))
        return made

    def _request(self, specs: list[TopicSpec], *, preferring: bool) -> dict[str, bool]:
        """Ask for topics; those are left out whose preferred settings the broker does not know."""
        from confluent_kafka import KafkaError
        from confluent_kafka.admin import NewTopic

        if not specs:
            return {}
        configs = {s.name: {**s.full_config, **(s.preferred if preferring else {})} for s in specs}
        new = [NewTopic(s.name, num_partitions=s.partitions or -1, config=configs[s.name]) for s in specs]
        futures = self._ask(lambda admin: admin.create_topics(new, operation_timeout=ANSWER_SECONDS))
        unknown = {s.name for s in specs if preferring and s.preferred and _is_refused(futures[s.name])}
        exists = KafkaError.TOPIC_ALREADY_EXISTS
        return {
            name: self._result(future, f"topic {name!r} was not created", exists)
            for name, future in futures.items()
            if name not in unknown
        }

    def _await(self, names: set[str]) -> None:
        """Wait until every partition of new topics has a leader: the broker learns of them after the controller."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while not all(_led(topic) for topic in self._metadata(names)):
            if time.monotonic() > deadline:
                raise BrokerError(
                    f"topics {', '.join(sorted(names))} were created at {self.brokers} but have no leader"
                )
            time.sleep(0.02)

    def _metadata(self, names: set[str]) -> list[TopicMetadata | None]:
        found = self._ask(lambda admin: admin.list_topics(timeout=METADATA_SECONDS)).topics
        return [found.get(name) for name in names]

    def _configs(self, names: list[str]) -> dict[str, dict[str, str]]:
        from confluent_kafka.admin import ConfigResource

        if not names:
            return {}
        asked = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in names]
        futures = self._ask(lambda admin: admin.describe_configs(asked, request_timeout=ANSWER_SECONDS))
        found = {resource.name: self._value(future) for resource, future in futures.items()}
        return {name: {entry.name: entry.value for entry in entries.values()} for name, entries in found.items()}

    def _ask(self, question: Callable[[AdminClient], T]) -> T:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        if self._admin is None:
            self._admin = self._made(lambda settings: AdminClient(settings, logger=LOGGER), self._settings({}))
        try:
            return question(self._admin)
        except KafkaException as error:
            raise self._failure(error) from error

    def _value(self, future: Future[T]) -> T:
        from confluent_kafka import KafkaException

        try:
            return future.result(ANSWER_SECONDS * 2)
        except (KafkaException, TimeoutError) as error:
            raise self._failure(error) from error

    def _result(self, future: Future[object], what: str, harmless: int) -> bool:
        from confluent_kafka import KafkaException

        try:
            future.result(ANSWER_SECONDS * 2)
        except KafkaException as error:
            if error.args[0].code() == harmless:
                return False
            raise BrokerError(f"{what} at {self.brokers}: {error.args[0].str()}") from error
        return True

    def _settings(self, more: ClientSettings) -> ClientSettings:
        return client_settings(self.brokers, self._kafka, **more)

    def _made(self, make: Callable[[ClientSettings], T], settings: ClientSettings) -> T:
        from confluent_kafka import KafkaException

        try:
            return make(settings)
        except KafkaException as error:
            raise BrokerError(f"the kafka client settings are refused: {error.args[0].str()}") from error

    def _failure(self, error: Exception) -> BrokerError:
        said = error.args[0].str() if error.args and hasattr(error.args[0], "str") else str(error) or "no answer"
        return BrokerError(
            f"no Kafka broker answers at {self.brokers} ({said}): name one with --brokers or HOLDFAST_BROKERS, or let "
            "Holdfast run its own with --dev"
        )


def wait_until_ready(
    brokers: str, timeout: float, ended: Callable[[], object] = lambda: None, kafka: Mapping[str, str] | None = None
) -> str | None:
    """The id of the cluster, when its broker answers; None when `ended` has given something else than None before."""
    deadline = time.monotonic() + timeout
    topics = Topics(brokers, kafka)
    while ended() is None:
        try:
            return topics.cluster_id(timeout=1.0)
        except BrokerError:
            if time.monotonic() > deadline:
                raise
    return None


def _is_refused(future: Future[object]) -> bool:
    from confluent_kafka import KafkaError

    problem = future.exception(ANSWER_SECONDS * 2)
    code = problem.args[0].code() if problem is not None and hasattr(problem.args[0], "code") else None
    return bool(code == KafkaError.INVALID_CONFIG)


def _led(topic: TopicMetadata | None) -> bool:
    return topic is not None and bool(topic.partitions) and all(p.leader >= 0 for p in topic.partitions.values())


def _faults(spec: TopicSpec, info: TopicInfo) -> Iterator[str]:
    if spec.partitions is not None and info.partitions != spec.partitions:
        yield f"topic {spec.name!r} has {info.partitions} partitions, {spec.partitions} are wanted"
    if spec.compacted and not info.compacted:
        yield f"topic {spec.name!r} has cleanup.policy {info.config.get('cleanup.policy')!r}, 'compact' is wanted"
    if spec.every_record and info.compacted:
        yield (
            f"topic {spec.name!r} has cleanup.policy {info.config.get('cleanup.policy')!r}, 'delete' is wanted: "
            "a record without a key could not be written, and of those with the same key all but the last would be lost"
        )
