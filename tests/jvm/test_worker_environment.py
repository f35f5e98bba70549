"""How Python is started where tasks run, and what is sent there."""

import sys
from types import SimpleNamespace

import pytest

import holdfast as hf
from holdfast.errors import SettingsError
from holdfast.settings.workers import worker_settings
from holdfast.spark import session, worker_environment


class Context:
    """The part of Spark's context that is used here."""

    def __init__(self, master):
        self.added = []
        self.master = lambda: master
        self.addArchive = self.added.append

    def listArchives(self):
        return SimpleNamespace(size=lambda: len(self.added), apply=self.added.__getitem__)


@pytest.fixture
def send(tmp_path, monkeypatch, cache):
    monkeypatch.setattr(worker_environment.own_code, "packages", lambda: [str(tmp_path / "packages")])
    (tmp_path / "packages" / "pip").mkdir(parents=True)
    (tmp_path / "packages" / "pip" / "main.py").touch()
    (tmp_path / "packages" / "pipes.py").touch()
    (tmp_path / "app.py").touch()

    def sent(master, environment="same"):
        context = Context(master)
        session = SimpleNamespace(sparkContext=lambda: context)
        settings = worker_settings({"environment": environment})
        return worker_environment.send(session, tmp_path, settings), context.added

    return sent


def test_in_one_process_everything_is_in_its_place(send, tmp_path):
    start, added = send("local[*]")
    assert start["command"] == [sys.executable, "-m", "holdfast.workers.process.main"]
    assert str(tmp_path) in start["environment"]["PYTHONPATH"]
    assert (start["sent"], added) == ([], [])


def test_executors_get_the_code(send):
    start, [code] = send("spark://host:7077")
    [name] = start["sent"]
    assert code.startswith("file:///")
    assert code.endswith(f".zip#{name}")
    assert start["command"][0] == sys.executable


def test_executors_get_the_packages_and_use_their_own_python(send):
    start, added = send("spark://host:7077", "send")
    assert start["sent"] == [worker_environment.CODE, worker_environment.PACKAGES]
    assert start["command"][0] == f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert start["environment"] == {"PYTHONPATH": ""}
    assert len(added) == 2


def test_executors_get_an_environment(send, tmp_path):
    (tmp_path / "env.tar.gz").touch()
    start, [_, environment] = send("spark://host:7077", str(tmp_path / "env.tar.gz"))
    assert start["interpreter_is_sent"]
    assert start["command"][0] == environment.partition("#")[2] + "/bin/python"
    assert start["sent"] == [worker_environment.CODE]


def test_an_environment_that_is_not_there_is_refused(send):
    with pytest.raises(SettingsError, match=r"python\['environment'\] is '/nowhere.zip', and there is no such file"):
        send("spark://host:7077", "/nowhere.zip")


def test_executors_get_the_jars_and_may_reach_the_driver():
    spark = {"spark.master": "spark://host:7077", "spark.authenticate.secret": "s", "spark.jars": "mine.jar"}
    conf = session.configuration(hf.App("a", tasks=6, spark=spark).settings)
    assert conf["spark.jars"].endswith("holdfast-kernel.jar,mine.jar")
    assert "kafka" in conf["spark.jars"]
    assert conf["spark.archives"].endswith(f".zip#{worker_environment.CODE}")
    assert "spark.driver.host" not in conf
    assert conf["spark.sql.shuffle.partitions"] == "6"
    local = session.configuration(hf.App("a").settings)
    assert ("spark.jars" in local, local["spark.driver.host"]) == (False, "127.0.0.1")
