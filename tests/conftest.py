"""What tests of every kind share: one real broker per session, and topics with names of their own."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.ops.broker import Broker
from holdfast.server.log_rate_limit import LOG_RATE_LIMIT
from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec
from tests.ports import lasting_port

# Programs under test have times far ahead of now, in their own topics, too; by Kafka's default an hour is the most.
ANY_TIME = {"log.message.timestamp.after.max.ms": str(2**63 - 1)}


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A Kafka broker with its data in a temporary directory."""
    with pytest.MonkeyPatch.context() as patch:
        # The tests' broker must not become "the one started last" of whoever runs them.
        patch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
        local = Broker(tmp_path_factory.mktemp("broker"), port=lasting_port(), settings=ANY_TIME).start()
    yield local
    local.stop()


@pytest.fixture(scope="session")
def topics(broker: Broker) -> Topics:
    """The topics of the tests' broker."""
    return Topics(broker.address)


_numbers = itertools.count(1)


@pytest.fixture
def new_topic(topics: Topics, request: pytest.FixtureRequest) -> Callable[..., str]:
    """Create a topic with a name that no other test has."""

    def create(name: str = "topic", partitions: int = 1, compacted: bool = False, **config: str) -> str:
        unique = f"{name}-{os.getpid()}-{next(_numbers)}"
        topics.create(TopicSpec(unique, partitions, compacted, {k.replace("_", "."): v for k, v in config.items()}))
        return unique

    return create


@pytest.fixture(autouse=True)
def log_lines_of_other_tests() -> None:
    """Servers of a session limit the process's log; what earlier tests logged must not count."""
    LOG_RATE_LIMIT.flush(everything=True)


@pytest.fixture
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither variables nor a holdfast.toml of whoever runs the tests."""
    for name in list(os.environ):
        if name.startswith("HOLDFAST_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache directory in place of the user's."""
    monkeypatch.setenv("HOLDFAST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"
