"""`holdfast broker`: a detached broker that stays until it is stopped."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.ops.broker import Broker

pytestmark = pytest.mark.broker


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The user's jars, but a place of the test's own to remember the broker started last."""
    home = tmp_path / "cache"
    home.mkdir()
    (home / "jars").symlink_to(Path(os.environ.get("HOLDFAST_CACHE") or Path.home() / ".cache" / "holdfast") / "jars")
    unset = ("HOLDFAST_BROKERS", "HOLDFAST_STATE_DIR")
    return {**{k: v for k, v in os.environ.items() if k not in unset}, "HOLDFAST_CACHE": str(home)}


def holdfast(environment: dict[str, str], cwd: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "holdfast.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=120, check=False)


def test_start_status_use_and_stop(environment: dict[str, str], tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    try:
        started = json.loads(holdfast(environment, here, "broker", "start", "--port", "0", "--json").stdout)
        assert started["running"]
        assert started["owner"] is None
        again = holdfast(environment, here, "broker", "start")
        assert f"Kafka already runs at {started['address']}" in again.stdout
        assert json.loads(holdfast(environment, here, "broker", "status", "--json").stdout) == started
        assert holdfast(environment, here, "topics", "create", "made-here").returncode == 0
        found_elsewhere(environment, elsewhere, started["address"])
        assert holdfast(environment, here, "broker", "stop").stdout == "stopped\n"
        gone = holdfast(environment, here, "broker", "status")
        assert gone.returncode == 1
        assert "no broker runs in" in gone.stdout
    finally:
        Broker(here / ".holdfast").stop_any()


def found_elsewhere(environment: dict[str, str], elsewhere: Path, address: str) -> None:
    """Commands of another directory use the broker that was started last; ports that they chose are in their JSON."""
    (elsewhere / "app.py").write_text(
        'import holdfast as hf\napp = hf.App("found")\n'
        'app.stream("made-here", str, key=str).group_by_key().count(store="n")\n'
    )
    assert "made-here" in holdfast(environment, elsewhere, "topics", "list").stdout
    assert holdfast(environment, elsewhere, "dlq", "list", "app.py").stdout == "no dead letters\n"
    nowhere = holdfast(environment, elsewhere, "dlq", "list", "app.py", "--state-dir", "other")
    assert nowhere.stderr.startswith("Error: no Kafka broker is named; none runs in other")
    ran = holdfast(environment, elsewhere, "run", "app.py", "--mode", "drain", "--serve", "--port", "0", "--json")
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert [each["broker"] for each in lines if "broker" in each] == [address]
    (url,) = (each["url"] for each in lines if "url" in each)
    assert not url.endswith(":0")


def test_stop_without_a_broker_says_so(environment: dict[str, str], tmp_path: Path) -> None:
    done = holdfast(environment, tmp_path, "broker", "stop", "--json")
    assert json.loads(done.stdout) == {"stopped": False, "state_dir": str(tmp_path / ".holdfast")}


def test_a_taken_port_is_one_message(environment: dict[str, str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        failed = holdfast(environment, tmp_path, "broker", "start", "--port", str(port))
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"Error: port {port} is taken by another program")


def test_no_java_is_one_message(environment: dict[str, str], tmp_path: Path) -> None:
    failed = holdfast({**environment, "JAVA_HOME": str(tmp_path)}, tmp_path, "broker", "start")
    assert failed.returncode == 1
    assert failed.stderr.startswith("Error: JAVA_HOME is")
    assert len(failed.stderr.splitlines()) == 1
