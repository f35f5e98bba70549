"""`holdfast query` against a real server, and `holdfast serve` as a process of its own."""

import json
import signal
import socket
import subprocess
import sys

import httpx
import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.server.conftest import BOARDS
from tests.stores.publisher import Publisher

APP = """
import holdfast as hf
app = hf.App({name!r})
app.stream("scores", str, key=int).group_by_key().count(store="leaderboard")
boards = app.store("leaderboard")

@app.get("/leaderboard/{{game}}")
def one(game: int):
    return boards[game]

@app.get("/modules")
def modules():
    import sys
    return [name for name in ("pyspark", "py4j") if name in sys.modules]

app.run()
"""


@pytest.fixture
def ask(served):
    def run(*arguments):
        return CliRunner().invoke(cli, ["query", "--url", served.url, *arguments], prog_name="holdfast")

    return run


@pytest.fixture
def app_file(published, tmp_path):
    file = tmp_path / "app.py"
    file.write_text(APP.format(name=published.name))
    return file


def test_a_value_as_a_table_and_as_json(ask):
    shown = ask("leaderboard", "1")
    assert shown.output.split() == ["playerId", "playerName", "score", "3", "Isabelle", "4000", "2", "Mitch", "2000"]
    assert json.loads(ask("leaderboard", "1", "--json").output) == BOARDS[1]
    assert ask("numbers", "--", "-5").output == "-50\n"


def test_entries_ranges_and_counts(ask):
    assert ask("numbers", "--from", "-1", "--to", "1").output.split() == [
        "key",
        "value",
        "-1",
        "-10",
        "0",
        "0",
        "1",
        "10",
    ]
    assert [e["key"] for e in json.loads(ask("visits", "--prefix", '["a"]', "--json").output)] == [
        {"user": "a", "page": page} for page in (-1, 0, 1)
    ]
    assert len(json.loads(ask("numbers", "--limit", "2400", "--json").output)) == 2400
    assert "raise --limit" in ask("numbers", "--limit", "1").output
    assert ask("numbers", "--count").output == "2500\n"
    assert ask("numbers", "--from", "5", "--to", "4").output == "nothing found\n"


def test_keys_and_cursors_that_are_too_long_for_an_address(broker, tmp_path):
    publisher = Publisher(broker.address).publish(names=("string", "long"))
    publisher.put("names", [("k" * 70_000 + str(n), n) for n in range(1001)])
    stores = Stores(publisher.name, broker.address, tmp_path)
    with Server(None, stores, port=0) as server:
        stores.wait_ready(90)

        def ask(*arguments):
            return CliRunner().invoke(cli, ["query", "--url", server.url, "names", *arguments]).output

        assert ask("k" * 70_000 + "7") == "7\n"
        assert len(json.loads(ask("--limit", "1001", "--json"))) == 1001


def test_without_a_store_the_stores_are_listed(ask):
    assert "leaderboard" in ask().output
    assert "record(user string" in ask().output


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["leaderbord"], 1, "did you mean 'leaderboard'"),
        (["numbers", "x"], 1, "wanted long"),
        (["numbers", "123456"], 1, "has no key"),
        (["numbers", "--limit", "0"], 2, "--limit"),
        (["numbers", "1", "--from", "1"], 2, "leave KEY"),
        (["numbers", "1", "--count"], 2, "leave KEY out"),
    ],
)
def test_what_is_refused_is_one_message(ask, arguments, status, words):
    answer = ask(*arguments)
    assert answer.exit_code == status
    assert words in answer.output
    assert "Traceback" not in answer.output


def test_no_server_says_what_to_do():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    answer = CliRunner().invoke(cli, ["query", "x", "--url", address])
    assert answer.exit_code == 1
    for words in (f"no server answers at http://{address}", "holdfast serve APP.py", "--url"):
        assert words in answer.output


@pytest.mark.broker
def test_serve_answers_without_spark_and_stops_cleanly(published, app_file, tmp_path):
    command = [
        sys.executable,
        "-m",
        "holdfast.cli.main",
        "serve",
        str(app_file),
        "--brokers",
        published.brokers,
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = next(each["url"] for each in map(json.loads, process.stderr) if "url" in each)
            eventually(lambda: httpx.get(f"{url}/ready").status_code == 200)
            assert httpx.get(f"{url}/leaderboard/6").json() == BOARDS[6]
            assert httpx.get(f"{url}/modules").json() == []
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert "Traceback" not in process.stderr.read()
    assert (tmp_path / ".holdfast" / published.name / "replica").is_dir()


@pytest.mark.broker
def test_serve_on_a_taken_port_is_one_message(published, app_file):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        answer = CliRunner().invoke(cli, ["serve", str(app_file), "--brokers", published.brokers, "--port", str(port)])
    assert answer.exit_code == 1
    assert f"port {port} is taken" in answer.output


@pytest.mark.usefixtures("cache")
def test_serve_without_a_broker_names_the_ways_out(tmp_path, monkeypatch):
    monkeypatch.delenv("HOLDFAST_BROKERS", raising=False)
    file = tmp_path / "app.py"
    file.write_text(APP.format(name="alone"))
    answer = CliRunner().invoke(cli, ["serve", str(file)])
    assert answer.exit_code == 1
    for words in ("--brokers", "HOLDFAST_BROKERS", "holdfast run --dev"):
        assert words in answer.output
