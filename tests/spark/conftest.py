"""Apps on Spark and Kafka: one JVM and one session for the whole process."""

import itertools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.runtime import Running, start
from holdfast.stores.backend import Stores
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record
from tests.eventually import eventually

_numbers = itertools.count(1)


@pytest.fixture
def suffix() -> str:
    """Something that makes the topics of a test its own; the names that `new_topic` makes have a number alone."""
    return f"-{os.getpid()}-s{next(_numbers)}"


@pytest.fixture
def run(topics: Topics, tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start an app in a directory of the test; it is stopped at the end."""
    started: list[Running] = []

    def begin(app: hf.App, *, mode: str | None = None, skip_lost: bool = False, **spark: str) -> Running:
        app.settings = replace(app.settings, state_dir=tmp_path / "state", spark={**app.settings.spark, **spark})
        started.append(start(app, brokers=topics.brokers, mode=mode, skip_lost=skip_lost))
        return started[-1]

    yield begin
    for running in started:
        running.stop()


@pytest.fixture
def drain(run: Callable[..., Running]) -> Callable[..., None]:
    """Run an app over what is there, and wait for its end."""

    def whole(app: hf.App, **spark: str) -> None:
        assert run(app, mode="drain", **spark).wait("3 minutes"), "the app did not come to the end of its input"

    return whole


@pytest.fixture
def stores(topics: Topics, tmp_path: Path) -> Callable[[hf.App], dict[str, dict]]:
    """The content of an app's stores, as a query server would have it."""

    def read(app: hf.App) -> dict[str, dict]:
        with Stores(app.name, topics.brokers, tmp_path / "state") as replica:
            replica.wait_ready(90)
            return {name: dict(replica.store(name).all()) for name in replica.catalog.stores}

    return read


def wait_for_offsets(running: Running, counts: Mapping[str, int]) -> None:
    """Wait until the app has taken so many records of each topic; that batches of one take long is no failure."""

    def taken() -> dict[str, int]:
        assert not running.wait("100 ms"), "the app has ended"
        return {name: seen["offset"] for name, seen in running.progress()["topics"].items() if seen["offset"]}

    eventually(taken, lambda found: found == counts, seconds=4 * 3600, what=f"{counts} to be read")


def produce_any_size(topics: Topics, records: Iterable[Record]) -> None:
    """Write records to the partitions that they name, also such as our own producer does not send."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": topics.brokers, "message.max.bytes": 100_000_000})
    for each in records:
        time_of = {} if each.timestamp is None else {"timestamp": each.timestamp}
        producer.produce(
            each.topic, each.value, each.key, partition=each.partition or 0, headers=list(each.headers), **time_of
        )
        producer.poll(0)
    assert producer.flush(120) == 0


def as_record(
    topic: str, key: object, value: object, timestamp: int | None = None, partition: int | None = None
) -> Record:
    """A record in the default formats: text keys, JSON values."""
    raw = value if isinstance(value, bytes) else None if value is None else json.dumps(value).encode()
    return Record(topic, None if key is None else str(key).encode(), raw, timestamp, partition=partition)
