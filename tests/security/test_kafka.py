"""An app against a broker that wants SASL/SCRAM over TLS; and the secrets are nowhere to be found afterwards."""

import base64
import json
import os
import signal
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from holdfast.errors import BrokerError
from holdfast.ops.ports import choose_port
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.security.secured import USER, Certificates, Secured, make_certificates, secured_broker

pytestmark = [pytest.mark.broker, pytest.mark.spark]
PASSWORD = "paSSw0rd-tulip-Orkney"
TOKEN = "t0ken-heron-Lisbon"
APP = """
import holdfast as hf

app = hf.App("secured", tasks=2, trigger="100 ms")
orders = app.stream("orders", "amount INT NOT NULL", key=str)
orders.map_values(hf.python(lambda o: o["amount"] * 2, returns=int)).to("doubled")
orders.group_by_key().count(store="counts")
"""
PAGES = (
    "/", "/stores", "/stores/counts", "/stores/nowhere", "/health", "/ready", "/metrics", "/openapi.json", "/topology",
    "/topology.json", "/topology.svg",
)  # fmt: skip


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def secured(tmp_path_factory, certificates):
    with secured_broker(tmp_path_factory.mktemp("secured"), certificates, PASSWORD) as found:
        yield found


def test_python_clients_log_in(secured: Secured) -> None:
    topics = Topics(secured.address, secured.kafka())
    topics.create(TopicSpec("hello"))
    assert topics.produce([Record("hello", b"k", b"v")]) == 1
    assert [record.value for record in topics.read("hello")] == [b"v"]


@pytest.mark.parametrize("kafka", [{}, {"sasl.password": "wr0ng-and-secret"}, {"ssl.truststore.location": ""}])
def test_who_is_not_let_in_is_told_without_the_password(secured: Secured, kafka: dict[str, str]) -> None:
    given = {name: value for name, value in {**secured.kafka(), **kafka}.items() if value} if kafka else {}
    with pytest.raises(BrokerError) as refused:
        Topics(secured.address, given).existing(timeout=2)
    assert "wr0ng-and-secret" not in str(refused.value)
    assert PASSWORD not in str(refused.value)


class Client:
    """Asks the server as somebody who trusts its authority and knows the token."""

    def __init__(self, port: int, certificates: Certificates) -> None:
        self._url = f"https://127.0.0.1:{port}"
        self._context = ssl.create_default_context(cafile=str(certificates.authority))

    def get(self, path: str, token: str = TOKEN) -> tuple[int, str]:
        request = urllib.request.Request(self._url + path, headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=10, context=self._context) as answer:
                return answer.status, f"{answer.headers}{answer.read().decode()}"
        except urllib.error.HTTPError as refused:
            return refused.code, f"{refused.headers}{refused.read().decode()}"
        except OSError as problem:
            return 0, str(problem)


def environment(directory: Path, secured: Secured) -> dict[str, str]:
    (directory / "password").write_text(f"{PASSWORD}\n")
    events = directory / "events"
    events.mkdir()
    spark = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
        "spark.master": "local[2]",
    }
    return {
        **os.environ,
        "HOLDFAST_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "HOLDFAST_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
        "HOLDFAST_KAFKA_SASL_USERNAME": USER,
        "HOLDFAST_KAFKA_SASL_PASSWORD": "file:password",
        "HOLDFAST_KAFKA_SSL_TRUSTSTORE_LOCATION": str(secured.authority),
        "HOLDFAST_BROKERS": secured.address,
        "HOLDFAST_SPARK": json.dumps(spark),
        "HOLDFAST_TOKEN": TOKEN,
    }


def holdfast(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "holdfast.cli.main", *arguments]


def answered(client: Client, process: "subprocess.Popen[str]") -> dict[str, str]:
    """Every page, once the app has counted."""

    def page(path: str) -> str:
        assert process.poll() is None, process.communicate()
        return client.get(path)[1]

    eventually(lambda: page("/stores/counts"), lambda text: '"value":3' in text, seconds=180)
    eventually(lambda: page("/metrics"), lambda text: 'holdfast_records_total{topic="orders"} 4.0' in text)
    return {page: client.get(page)[1] for page in PAGES}


def hidden(text: bytes) -> bool:
    wanted = [secret.encode() for secret in (PASSWORD, TOKEN)]
    return not any(each in text for each in [*wanted, *(base64.b64encode(secret) for secret in wanted)])


def test_an_app_runs_secured_and_tells_no_secret(secured, certificates, tmp_path: Path) -> None:
    app = tmp_path / "app.py"
    app.write_text(APP)
    known = environment(tmp_path, secured)
    topics = Topics(secured.address, secured.kafka())
    topics.create(TopicSpec("orders", partitions=2))
    topics.produce([Record("orders", b"ann", b'{"amount": %d}' % n) for n in range(3)])
    topics.produce([Record("orders", b"bob", b"no JSON")])
    port = choose_port()
    server = ["--serve", "--port", str(port), "--tls-cert", str(certificates.chain), "--tls-key", str(certificates.key)]
    command, pipe = holdfast("run", str(app), "--json", *server), subprocess.PIPE
    process = subprocess.Popen(command, env=known, stdout=pipe, stderr=pipe, text=True)
    try:
        client = Client(port, certificates)
        pages = answered(client, process)
        assert client.get("/stores/counts", token="x" * 20)[0] == 401
        assert client.get("/health", token="")[0] == 200
        metrics = pages["/metrics"]
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert sorted(record.value for record in topics.read("doubled")) == [b"0", b"2", b"4"]
    for name in ('holdfast_records_total{topic="orders"} 4.0', "holdfast_dead_letters_total 1.0", "holdfast_up 1.0",
                 'holdfast_store_rows{store="counts"} 1.0', 'holdfast_latency_seconds_count{topic="doubled"} 3.0',
                 'holdfast_stream_time_seconds{stage="0"} 1', 'holdfast_state_memory_bytes{stage="0"}',
                 "holdfast_state_cache_bytes 1"):  # fmt: skip
        assert name in metrics, metrics
    for command in ("describe", "explain"):
        out += subprocess.run(holdfast(command, str(app)), env=known, capture_output=True, text=True, check=True).stdout
    assert [page for page, text in pages.items() if not hidden(text.encode())] == []
    assert hidden((out + err).encode())
    own = [topic.name for topic in topics.existing() if topic.name.startswith("secured-")]
    assert all(hidden(b"".join([record.key or b"", record.value or b""])) for record in topics.read(*own))
    (tmp_path / "password").unlink()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("events" in path.parts for path in files)
    assert [path for path in files if not hidden(path.read_bytes())] == []
