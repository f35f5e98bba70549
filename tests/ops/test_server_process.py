"""The query server of `holdfast run` in a process of its own: it reports on the app, comes back and ends with it."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from holdfast.errors import HoldfastError
from holdfast.ops.server_process import ServerProcess
from holdfast.server.access import EVERYBODY, Access
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
APP = """
import os
import holdfast as hf
print("loaded")
app = hf.App({name!r})
app.stream("clicks", str, key=int).group_by_key().count(store="numbers")
numbers = app.store("numbers")

@app.get("/one/{{n}}")
def one(n: int):
    print("printed by a route")
    return [numbers[n], os.getpid()]

@app.get("/broken")
def broken():
    raise RuntimeError("told in the log")
"""


TABLES = [
    "records", "rate", "lag", "phases", "state", "written", "dead", "late", "skipped", "foreign", "time",
    "python", "source_time", "taken", "busy", "latency",
]  # fmt: skip


class Figures:
    """Stands for the meter of an app."""

    def __init__(self):
        self.why = None

    def problem(self):
        return self.why

    def document(self):
        counted = {"epoch": 41, "epochs": 3, "still": 0.5, "cached": 0, "dead_total": 0}
        return {
            **{name: {} for name in TABLES},
            **counted,
            "up": True,
            "seconds": {"bounds": [1.0], "counts": [0, 0], "sum": 0.0},
        }


@pytest.fixture
def made(broker, tmp_path):
    publisher = Publisher(broker.address).publish(numbers=("long", "long"))
    publisher.put("numbers", [(n, n * 10) for n in range(5)])
    (tmp_path / "app.py").write_text(APP.format(name=publisher.name))

    def make(port=0, access=EVERYBODY):
        where = str(tmp_path / "app.py"), broker.address, str(tmp_path / "state")
        return ServerProcess(*where, "127.0.0.1", port, None, access)

    return make


@pytest.fixture
def server(made):
    found = made(free()).start()
    yield found
    found.stop()


def free():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url):
    try:
        return httpx.get(url, timeout=10).status_code == 200
    except httpx.HTTPError:
        return False


def test_it_serves_from_another_process_with_descriptors_of_its_own(server):
    eventually(lambda: server.ready)
    before = len(os.listdir("/proc/self/fd"))
    value, pid = httpx.get(f"{server.url}/one/3").json()
    assert value == 30
    assert pid != os.getpid()
    crowd = [socket.create_connection(("127.0.0.1", int(server.url.rsplit(":", 1)[1]))) for _ in range(50)]
    assert len(os.listdir("/proc/self/fd")) == before + 50  # the ends that are ours
    for each in crowd:
        each.close()


def test_it_tells_of_the_app(server):
    figures = Figures()
    server.watch(figures)
    eventually(lambda: "holdfast_epoch 41.0" in httpx.get(f"{server.url}/metrics").text)
    assert httpx.get(f"{server.url}/health").status_code == 200
    figures.why = "the app has ended"
    eventually(lambda: httpx.get(f"{server.url}/health").status_code == 503)
    assert httpx.get(f"{server.url}/health").json()["error"]["message"] == "the app has ended"


def test_what_it_logs_is_logged_here(server, caplog):
    eventually(lambda: server.ready)
    assert httpx.get(f"{server.url}/broken").status_code == 500
    eventually(lambda: "RuntimeError: told in the log" in caplog.text)


def test_it_comes_back(server, caplog):
    eventually(lambda: server.ready)
    os.kill(httpx.get(f"{server.url}/one/1").json()[1], signal.SIGKILL)
    eventually(lambda: "ended with status -9; it is started again" in caplog.text)
    eventually(lambda: answers(f"{server.url}/one/1"))


def test_nothing_is_left_after_the_end(made):
    server = made().start()
    eventually(lambda: server.ready)
    pid = httpx.get(f"{server.url}/one/1").json()[1]
    server.stop()
    assert not answers(f"{server.url}/health")
    assert not Path(f"/proc/{pid}").exists()


def test_what_keeps_it_from_serving_is_raised(made):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(HoldfastError, match=f"port {port} is taken"):
            made(port).start()


def test_the_token_is_nowhere_to_be_read(made):
    server = made(access=Access("t0ken-of-the-test")).start()
    try:
        pid = server._process.pid
        for file in ("cmdline", "environ"):
            assert b"t0ken-of-the-test" not in Path(f"/proc/{pid}/{file}").read_bytes()
        assert httpx.get(f"{server.url}/stores").status_code == 401
        known = {"Authorization": "Bearer t0ken-of-the-test"}
        eventually(lambda: httpx.get(f"{server.url}/stores", headers=known).status_code == 200)
    finally:
        server.stop()


def test_rights_hold_there_and_refusals_are_logged_here(made, tmp_path, caplog):
    file = tmp_path / "rights.toml"
    file.write_text(f'[token.shop]\nsha256 = "{sha256(b"t0ken-of-the-shop").hexdigest()}"\nroutes = ["/one/{{n}}"]\n')
    file.chmod(0o600)
    server = made(access=Access(rights=file)).start()
    try:
        known = {"Authorization": "Bearer t0ken-of-the-shop"}
        assert httpx.get(f"{server.url}/stores/numbers", headers=known).status_code == 403
        eventually(lambda: "holdfast.audit" in [each.name for each in caplog.records])
        assert 'token="shop" store="numbers"' in caplog.text
    finally:
        server.stop()
    file.chmod(0o644)
    with pytest.raises(HoldfastError, match="chmod 600"):
        made(access=Access(rights=file)).start()


def test_it_ends_with_a_process_that_was_killed(made, tmp_path, broker):
    program = f"""
        import time
        from holdfast.ops.server_process import ServerProcess
        from holdfast.server.access import EVERYBODY
        where = {str(tmp_path / "app.py")!r}, {broker.address!r}, {str(tmp_path / "state")!r}
        print(ServerProcess(*where, "127.0.0.1", {free()}, None, EVERYBODY).start().url, flush=True)
        time.sleep(600)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        assert answers(f"{url}/health")
        process.kill()
        eventually(lambda: not answers(f"{url}/health"))
