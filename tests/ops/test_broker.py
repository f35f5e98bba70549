"""The local broker: starting, sharing, stopping, and what a kill leaves behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.errors import BrokerError
from holdfast.ops.broker import Broker, find_local
from holdfast.ops.ports import choose_port
from holdfast.ops.processes import Process
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

pytestmark = pytest.mark.broker

OWNER = """
import sys, time
from pathlib import Path
from holdfast.ops.broker import Broker
print(Broker(Path(sys.argv[1])).start().address, flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def quiet_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.ops.broker.register", lambda state_dir: None)


@pytest.fixture
def owner_of(tmp_path: Path) -> Iterator[Callable[[], "subprocess.Popen[str]"]]:
    """Start a process that owns a broker of the test's directory."""
    started: list[subprocess.Popen[str]] = []
    # Where it registers its broker is its own affair; the jars stay where they are.
    home = tmp_path / "cache"
    home.mkdir()
    real = Path(os.environ.get("HOLDFAST_CACHE") or Path.home() / ".cache" / "holdfast")
    (home / "jars").symlink_to(real / "jars")

    def start() -> "subprocess.Popen[str]":
        env = {**os.environ, "HOLDFAST_CACHE": str(home)}
        child = subprocess.Popen([sys.executable, "-c", OWNER, tmp_path], stdout=subprocess.PIPE, text=True, env=env)
        started.append(child)
        assert child.stdout is not None
        assert child.stdout.readline().startswith("127.0.0.1:")
        return child

    yield start
    for child in started:
        child.kill()
        child.communicate()
    Broker(tmp_path).stop_any()


def process_of(broker: Broker) -> Process:
    state = broker.running()
    assert state is not None
    return state.process


def test_data_and_port_survive_a_restart_and_nothing_is_left_running(tmp_path: Path) -> None:
    with Broker(tmp_path) as first:
        address, process = first.address, process_of(first)
        topics = Topics(address)
        topics.create(TopicSpec("kept"))
        topics.produce([Record("kept", b"k", b"v")])
    assert not process.alive()
    assert first.running() is None
    with Broker(tmp_path) as second:
        assert second.address == address or not first.owned
        assert [r.value for r in Topics(second.address).read("kept")] == [b"v"]


def test_topics_are_not_made_by_asking_for_them(topics: Topics) -> None:
    with pytest.raises(BrokerError, match="does not exist"):
        topics.produce([Record("never-created", None, b"")])
    assert "never-created" not in [topic.name for topic in topics.existing()]


def test_a_second_user_shares_the_broker_and_does_not_stop_it(broker: Broker) -> None:
    with Broker(broker.home.parent) as second:
        assert second.address == broker.address
        assert not second.owned
    assert process_of(broker).alive()
    Topics(broker.address).existing()


def test_another_port_than_the_running_one_is_refused(broker: Broker) -> None:
    with pytest.raises(BrokerError, match="already runs on port"):
        Broker(broker.home.parent, port=1).start()


def test_a_taken_port_that_was_asked_for_is_an_error(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(BrokerError, match=f"port {port} is taken"):
            Broker(tmp_path, port=port).start()


def test_a_port_that_another_broker_takes_in_the_last_moment(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one answers there, but it is not ours: we choose again."""
    state = broker.running()
    assert state is not None
    choices = iter([state.port])
    monkeypatch.setattr(
        "holdfast.ops.broker.choose_port", lambda *given, **avoid: next(choices, None) or choose_port(None, **avoid)
    )
    with Broker(tmp_path) as mine:
        assert mine.address != broker.address
        assert Topics(mine.address).cluster_id() != Topics(broker.address).cluster_id()
        assert process_of(mine).alive()


def test_killing_the_owner_stops_the_broker_and_a_new_owner_starts_it_again(
    tmp_path: Path, owner_of: Callable[[], "subprocess.Popen[str]"]
) -> None:
    owner = owner_of()
    old = process_of(Broker(tmp_path))
    owner.kill()
    owner.wait()
    with Broker(tmp_path) as mine:  # at once: the old one may still be on its way out
        assert mine.owned
        assert not old.alive()
        Topics(mine.address).existing()


def test_killing_the_broker_leaves_a_state_that_is_recognised_as_stale(
    tmp_path: Path, owner_of: Callable[[], "subprocess.Popen[str]"]
) -> None:
    owner_of()
    old = process_of(Broker(tmp_path))
    os.kill(old.pid, signal.SIGKILL)
    assert old.wait(10)
    assert Broker(tmp_path).running() is None
    with Broker(tmp_path) as mine:
        assert mine.owned


def test_a_state_file_of_another_process_with_the_same_pid_is_stale(tmp_path: Path) -> None:
    home = tmp_path / "broker"
    home.mkdir()
    stranger = {"pid": os.getpid(), "started": "1"}
    (home / "broker.json").write_text(
        json.dumps({"process": stranger, "owner": None, "port": 9092, "controller_port": 1})
    )
    assert Broker(tmp_path).running() is None


@pytest.mark.parametrize("content", ["", "{", "{}", "[1]"])
def test_a_damaged_state_file_is_no_broker(tmp_path: Path, content: str) -> None:
    (tmp_path / "broker").mkdir()
    (tmp_path / "broker" / "broker.json").write_text(content)
    assert find_local(tmp_path) is None


def test_a_broker_that_cannot_start_says_why(tmp_path: Path) -> None:
    data = tmp_path / "broker" / "data"
    data.mkdir(parents=True)
    (data / "meta.properties").write_text("version=99\n")
    (data / "bootstrap.checkpoint").write_text("")
    began = time.monotonic()
    with pytest.raises(BrokerError, match=r"the broker ended while starting \(.*\); see .*broker\.log"):
        Broker(tmp_path).start()
    assert time.monotonic() - began < 30
    assert Broker(tmp_path).running() is None
