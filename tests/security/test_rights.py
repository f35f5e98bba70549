"""After a real run nobody else may read, write or enter what lies in the state directory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.ops.ports import choose_port
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.faults.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.spark]
APP = """
import holdfast as hf
from holdfast import functions as F
from pathlib import Path

app = hf.App("rights", tasks=2, trigger="100 ms", spark={"spark.master": "local[2]", "spark.local.dir": "LOCAL"})
events = app.stream("rights-events", "score INT NOT NULL", key=str)


def note(event):
    Path("WRITTEN").write_text("by a function")
    return {"score": event.score}


events.map_values(hf.python(note, returns="score INT")).group_by_key().agg(n=F.count("*"), store="teams")
"""


def open_to_others(*folders: Path) -> list[str]:
    """Files and directories with rights for others, but for copies whose rights Hadoop sets, in a closed directory."""
    found = [path for folder in folders for path in [folder, *folder.rglob("*")] if "SSTs" not in path.parts]
    modes = {path: path.lstat().st_mode for path in found if path.exists() and not path.is_symlink()}
    return [f"{mode & 0o777:o} {path}" for path, mode in modes.items() if mode & 0o077]


def holdfast(*arguments: str) -> str:
    command = [sys.executable, "-m", "holdfast.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


@pytest.fixture
def no_umask():
    """The user's shell gives everything away."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_what_a_run_leaves_is_for_its_user_alone(tmp_path, no_umask, monkeypatch):
    state, local, written, file = (tmp_path / name for name in ("state", "local", "written", "rights.py"))
    local.mkdir(mode=0o700)
    file.write_text(APP.replace("LOCAL", str(local)).replace("WRITTEN", str(written)))
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(state))
    found = json.loads(holdfast("broker", "start", "--state-dir", str(state), "--json"))
    try:
        topics = Topics(found["address"])
        topics.ensure([TopicSpec("rights-events", 1)])
        topics.produce([Record("rights-events", b"a", b'{"score": 1}')])
        app = Run(file, found["address"], choose_port())
        try:
            app.wait_for(lambda: app.has(1))
            assert open_to_others(state, local) == []
        finally:
            app.kill()
        assert written.stat().st_mode & 0o777 == 0o666, "a function's files are the user's own matter"
        replica = tmp_path / "elsewhere"
        port = str(choose_port())
        command = ["serve", str(file), "--brokers", found["address"], "--state-dir", str(replica), "--port", port]
        server = subprocess.Popen([sys.executable, "-m", "holdfast.cli.main", *command])
        try:
            data = replica / "rights" / "replica" / "data" / "data.mdb"
            eventually(lambda: data.exists() or server.poll() is not None)
            assert server.poll() is None
            assert open_to_others(replica) == []
        finally:
            server.terminate()
            server.wait(60)
        assert {path.name for path in (state / "rights").iterdir()} >= {"checkpoint", "plan.json", "run.lock", "logs"}
        assert {path.name for path in (state / "broker").iterdir()} >= {"broker.json", "data", "server.properties"}
        assert open_to_others(state, replica) == []
    finally:
        holdfast("broker", "stop", "--state-dir", str(state))
