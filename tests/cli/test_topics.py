"""`holdfast topics` against a real broker."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdfast.cli.main import cli
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record

pytestmark = pytest.mark.broker


@pytest.fixture
def run(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("HOLDFAST_BROKERS", broker.address)
    return lambda *arguments, **more: CliRunner().invoke(cli, ["topics", *arguments], **more)


def shell(broker: Broker, *arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "holdfast.cli.main", "topics", *arguments]
    env = {**os.environ, "HOLDFAST_BROKERS": broker.address}
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=env, timeout=60, check=False)


def test_create_and_list(run: Callable[..., Result]) -> None:
    made = run("create", "cli-made", "--partitions", "3", "--config", "retention.ms=1000")
    assert (made.exit_code, made.output) == (0, "created cli-made with 3 partitions\n")
    assert "cli-made" in run("list").output
    assert {"name": "cli-made", "partitions": 3} in json.loads(run("list", "--json").output)


def test_create_compacted(run: Callable[..., Result], topics: Topics) -> None:
    made = run("create", "cli-compacted", "--compact", "--json")
    wanted = {"name": "cli-compacted", "partitions": 1, "config": {"cleanup.policy": "compact"}}
    assert json.loads(made.output) == wanted
    assert topics.describe(["cli-compacted"])[0].compacted


def test_produce_and_consume_with_keys(broker: Broker, new_topic: Callable[..., str]) -> None:
    name = new_topic()
    wrote = shell(broker, "produce", name, "--key-separator", "|", stdin='1|{"id": 1}\n\n2|a|b\r\n')
    assert (wrote.returncode, wrote.stderr) == (0, f"wrote 2 records to {name}\n")
    read = shell(broker, "consume", name, "--from-beginning", "--max-messages", "2", "--key-separator", "=")
    assert read.stdout == '1={"id": 1}\n2=a|b\n'


def test_produce_a_file_without_keys(
    run: Callable[..., Result], topics: Topics, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    name, file = new_topic(), tmp_path / "values.txt"
    file.write_text("a\nb")
    assert json.loads(run("produce", name, str(file), "--json").output) == {"topic": name, "records": 2}
    assert [(r.key, r.value) for r in topics.read(name)] == [(None, b"a"), (None, b"b")]


def test_a_null_marker_deletes(
    run: Callable[..., Result], topics: Topics, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    name, file = new_topic(compacted=True), tmp_path / "players.txt"
    file.write_text("1|NULL\n")
    run("produce", name, str(file), "--key-separator", "|", "--null-marker", "NULL")
    assert [(r.key, r.value) for r in topics.read(name)] == [(b"1", None)]


def test_a_line_without_separator_is_named_and_nothing_of_the_file_is_written(
    run: Callable[..., Result], topics: Topics, new_topic: Callable[..., str], tmp_path: Path
) -> None:
    name, file = new_topic(), tmp_path / "players.json"
    file.write_text("1|one\ntwo\n")
    failed = run("produce", name, str(file), "--key-separator", "|")
    assert failed.exit_code == 1
    assert failed.stderr == f"Error: {file}:2: wanted key|value, got 'two'; is --key-separator right?\n"
    assert topics.read(name) == []


def test_a_wrong_line_of_standard_input_keeps_what_came_before(
    broker: Broker, topics: Topics, new_topic: Callable[..., str]
) -> None:
    name = new_topic()
    failed = shell(broker, "produce", name, "--key-separator", "|", stdin="1|one\ntwo\n")
    assert failed.returncode == 1
    assert "standard input:2: wanted key|value" in failed.stderr
    assert [r.value for r in topics.read(name)] == [b"one"]


def test_consume_as_json(run: Callable[..., Result], topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic()
    topics.produce([Record(name, b"k", b"\xff", 5, (("h", b"x"),)), Record(name, None, None, 6)])
    read = run("consume", name, "--from-beginning", "--timeout", "2", "--json")
    first, second = map(json.loads, read.output.splitlines())
    assert first == {
        "topic": name,
        "partition": 0,
        "offset": 0,
        "timestamp": 5,
        "key": "k",
        "value": {"base64": "/w=="},
        "headers": {"h": "x"},
    }
    assert (second["key"], second["value"]) == (None, None)


def test_an_unknown_topic_is_one_message(run: Callable[..., Result]) -> None:
    failed = run("consume", "no-such-topic")
    assert failed.exit_code == 1
    assert failed.stderr.startswith("Error: topic 'no-such-topic' does not exist")


def test_without_a_broker_the_ways_out_are_named(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BROKERS", raising=False)
    monkeypatch.chdir(tmp_path)
    failed = CliRunner().invoke(cli, ["topics", "list"])
    assert failed.exit_code == 1
    for part in ("--brokers", "HOLDFAST_BROKERS", "holdfast broker start"):
        assert part in failed.stderr


def test_the_local_broker_of_a_state_directory_is_found(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLDFAST_BROKERS", raising=False)
    assert CliRunner().invoke(cli, ["topics", "list", "--state-dir", str(broker.home.parent)]).exit_code == 0


def test_a_setting_without_a_value_is_wrong_use(run: Callable[..., Result]) -> None:
    assert run("create", "x", "--config", "retention.ms").exit_code == 2
