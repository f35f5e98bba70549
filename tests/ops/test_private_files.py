"""What Holdfast writes is for its user alone, whatever the umask is."""

import os
import stat
from pathlib import Path

import pytest

from holdfast.errors import BrokerError, SettingsError
from holdfast.ops.broker import Broker
from holdfast.ops.processes import Process
from holdfast.plan import durable
from holdfast.private_files import private_directory
from holdfast.runtime import lock
from holdfast.spark import archive, jars, logs, own_code
from holdfast.stores.environment import Environment

STRANGER = 4711


def rights(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def readable_by_others(folder: Path) -> list[str]:
    """What others may read, write or enter."""
    return [
        f"{rights(path)} {path}"
        for path in [folder, *folder.rglob("*")]
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    ]


@pytest.fixture(params=[0o000, 0o022])
def umask(request):
    """What the user's shell gives away."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.fixture
def give_away(monkeypatch):
    """Makes a file belong to somebody else; who is not root can only become somebody else."""

    def to_somebody(path):
        if os.getuid() == 0:
            os.chown(path, STRANGER, -1)
        else:
            monkeypatch.setattr(os, "geteuid", lambda: STRANGER)

    return to_somebody


def test_what_python_writes_is_ours_alone(umask, tmp_path, cache):
    home = tmp_path / "state"
    held = lock.hold(home / "app", "app")
    durable.write(home / "app" / "plan.json", "{}")
    durable.write(home / "other" / "deeper" / "plan.json", "{}")
    logs.configure(home / "app" / "logs" / "spark.log")
    Environment(home / "app" / "replica").close()
    own_code.write_zip({"a.py": Path(__file__)}, cache / "sent" / "code.zip")
    held.release()
    assert readable_by_others(home) == []
    assert readable_by_others(cache) == []


def test_a_directory_of_ours_is_tightened(tmp_path):
    home = tmp_path / "state"
    (home / "app").mkdir(parents=True)
    home.chmod(0o755)
    (home / "app").chmod(0o777)
    lock.hold(home / "app", "app").release()
    assert (rights(home), rights(home / "app")) == ("755", "700")


@pytest.mark.parametrize("whose", ["state", "state/app"])
def test_a_directory_of_somebody_else_is_refused(tmp_path, give_away, whose):
    (tmp_path / "state" / "app").mkdir(parents=True)
    give_away(tmp_path / whose)
    with pytest.raises(SettingsError, match=rf"{whose} belongs to the user \d+.*--state-dir or HOLDFAST_STATE_DIR"):
        lock.hold(tmp_path / "state" / "app", "app")
    assert not (tmp_path / "state" / "app" / "run.lock").exists()


def test_a_directory_of_somebody_else_has_no_broker_of_ours(tmp_path, give_away):
    (tmp_path / "broker").mkdir()
    give_away(tmp_path / "broker")
    with pytest.raises(SettingsError, match=r"broker belongs to the user \d+.*--state-dir"):
        Broker(tmp_path).start()


def test_a_broker_of_somebody_else_is_not_taken_for_ours(tmp_path, give_away):
    home = tmp_path / "broker"
    home.mkdir()
    process = f'{{"pid": {os.getpid()}, "started": "{Process.current().started}"}}'
    (home / "broker.json").write_text(f'{{"process": {process}, "owner": null, "port": 9092, "controller_port": 1}}')
    give_away(home / "broker.json")
    for command in (Broker(tmp_path).running, Broker(tmp_path).stop_any):
        with pytest.raises(BrokerError, match=r"broker.json belongs to another user.*--brokers"):
            command()


def test_jars_that_others_could_have_written_are_verified_anew(cache):
    known, other = cache / "jars" / "verified.json", cache / "archives" / "old.jsa"
    for file in (known, other):
        file.parent.mkdir(parents=True)
        file.write_text("{}")
        file.parent.chmod(0o777)
    jars.ensure([])
    archive.use([])
    assert not known.exists()
    assert not other.exists()
    assert (rights(known.parent), rights(other.parent)) == ("700", "700")


def test_jars_of_somebody_else_are_not_run(cache, give_away):
    (cache / "jars").mkdir(parents=True)
    give_away(cache / "jars")
    with pytest.raises(SettingsError, match="belongs to the user .*HOLDFAST_CACHE"):
        jars.ensure([])


def test_a_directory_of_root_may_be_used_if_only_root_writes_there(tmp_path, monkeypatch):
    if os.getuid() != 0:
        pytest.skip("only root can make a directory of root's")
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    tmp_path.chmod(0o755)
    assert private_directory(tmp_path, "go") == tmp_path
    tmp_path.chmod(0o777)
    with pytest.raises(SettingsError, match="go"):
        private_directory(tmp_path, "go")
