"""No broker, one that does not answer, ports that are taken, a state directory that cannot be written."""

import contextlib
import re
import socket

import pytest

from holdfast.ops.ports import is_free

COUNT = 'events.group_by_key().count(store="counts")'


@pytest.fixture
def taken():
    """A port that another program listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


@pytest.fixture
def free():
    """A port that nobody listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        return other.getsockname()[1]


def test_no_broker_is_named(holdfast, program, tmp_path, no_last_broker):
    refused = holdfast("run", program(COUNT), **no_last_broker)
    refused.means("no Kafka broker is named", "--brokers host:port", "HOLDFAST_BROKERS", "--dev")
    assert not (tmp_path / ".holdfast").exists()


def test_a_broker_that_does_not_answer(holdfast, program, free):
    refused = holdfast("run", program(COUNT), "--brokers", f"127.0.0.1:{free}")
    refused.means(f"no Kafka broker answers at 127.0.0.1:{free}", "--brokers", "--dev")


def test_a_broker_that_is_no_address(holdfast, program):
    holdfast("run", program(COUNT), "--brokers", "localhost").means("'localhost'", "host:port")


def test_a_broker_and_a_local_one(holdfast, program):
    holdfast("run", program(COUNT), "--dev", "--brokers", "localhost:9092").means("--dev", "--brokers", "choose one")


def test_topics_without_a_broker(holdfast, no_last_broker):
    holdfast("topics", "list", **no_last_broker).means(
        "no broker was named and none runs", "--brokers", "holdfast broker start"
    )


def test_the_usual_ports_are_taken(holdfast, program, taken, no_last_broker):
    with contextlib.ExitStack() as stack:
        if is_free(9092):
            other = stack.enter_context(socket.socket())
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", 9092))
            other.listen()
        refused = holdfast("run", program(COUNT), "--dev", "--serve", "--port", taken, **no_last_broker)
    refused.means(f"port {taken} is taken by another program", "choose another with --port")
    assert re.search(r"broker at 127\.0\.0\.1:\d+; 9092 is taken", refused.said)


def test_a_state_directory_that_cannot_be_written(holdfast, program, tmp_path):
    (tmp_path / "file").write_text("")
    refused = holdfast("run", program(COUNT), "--dev", "--state-dir", tmp_path / "file" / "state")
    refused.means("cannot write the state directory", str(tmp_path / "file" / "state"), "--state-dir")


def test_no_server_to_ask(holdfast, free):
    refused = holdfast("query", "counts", "--url", f"http://127.0.0.1:{free}")
    refused.means(f"no server answers at http://127.0.0.1:{free}", "holdfast run APP.py --serve", "--url")
