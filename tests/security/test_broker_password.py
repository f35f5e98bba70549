"""A local broker that lets in only who knows its password."""

import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from holdfast.errors import BrokerError
from holdfast.ops.broker import Broker
from holdfast.ops.ports import choose_port
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually

pytestmark = [pytest.mark.broker, pytest.mark.spark]
APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("known", tasks=2, mode="drain", spark={"spark.master": "local[2]"})
app.stream("words", str, key=str).map_values(lambda w: F.upper(w)).to("louder")
"""


@pytest.fixture(scope="module")
def broker(tmp_path_factory):
    """A broker with a password, in a state directory of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
        with Broker(tmp_path_factory.mktemp("state"), password=True) as local:
            yield local


def holdfast(*arguments):
    command = [sys.executable, "-m", "holdfast.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)


def test_who_does_not_know_the_password_gets_nothing(broker):
    for known in ({}, {**broker.kafka, "sasl.password": "a guess"}):
        with pytest.raises(BrokerError):
            Topics(broker.address, known).existing(timeout=3)


def test_an_app_and_the_commands_find_the_password_by_themselves(broker, tmp_path):
    state = str(broker.home.parent)
    topics = Topics(broker.address, broker.kafka)
    topics.ensure([TopicSpec("words")])
    topics.produce([Record("words", b"k", b"tulip"), Record("words", b"k", b"\xff")])
    listed = holdfast("topics", "list", "--state-dir", state)
    assert "words" in listed.stdout, listed.stderr
    (tmp_path / "known.py").write_text(APP)
    done = holdfast("run", str(tmp_path / "known.py"), "--brokers", broker.address, "--state-dir", state)
    assert done.returncode == 0, done.stderr
    assert [record.value for record in topics.read("louder")] == [b"TULIP"]
    letters = holdfast("dlq", "list", str(tmp_path / "known.py"), "--state-dir", state, "--json")
    assert (letters.returncode, "words" in letters.stdout) == (0, True), letters.stderr
    secret = broker.kafka["sasl.password"]
    assert secret not in done.stdout + done.stderr + listed.stdout
    assert (broker.home / "password").stat().st_mode & 0o777 == 0o600
    assert secret.encode() not in Path(f"/proc/{broker.running().process.pid}/cmdline").read_bytes()


def test_a_server_alone_finds_it_too(broker, tmp_path):
    topics = Topics(broker.address, broker.kafka)
    topics.ensure([TopicSpec("asked-meta", compacted=True)])
    topics.produce([Record("asked-meta", b"topology", b'{"topology": {}, "stores": {}}')])
    (tmp_path / "asked.py").write_text("import holdfast as hf\napp = hf.App('asked')\n")
    port = choose_port()
    command = [sys.executable, "-m", "holdfast.cli.main", "serve", str(tmp_path / "asked.py"), "--port", str(port)]
    with subprocess.Popen([*command, "--state-dir", str(broker.home.parent)]) as server:
        try:
            eventually(lambda: is_ready(port))
        finally:
            server.send_signal(signal.SIGINT)
    assert server.returncode == 0


def is_ready(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/ready", timeout=10).status_code == 200
    except httpx.HTTPError:
        return False
