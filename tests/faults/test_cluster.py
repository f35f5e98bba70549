"""A Spark cluster of processes that share nothing with the app: its code, and ours, get there by themselves."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.spark import jars
from holdfast.spark.java import find_java
from holdfast.topics.records import Record, TopicSpec

APP = """
import holdfast as hf
import prices
from shop.taxes import taxed

app = hf.App("cluster", tasks=2, spark={"spark.driver.host": "127.0.0.1", "spark.executor.memory": "600m"})
orders = app.stream("cluster-orders", "item STRING, pieces BIGINT", key=str)


def total(order):
    import lazy

    return {"total": taxed(prices.of(order.item) * order.pieces), "lazy": lazy.WORD, "file": prices.__file__}


totals = orders.map_values(hf.python(total, returns="total DOUBLE, lazy STRING, file STRING"))
totals.to("cluster-totals")
totals.group_by(lambda t: t.lazy).count(store="orders").to("cluster-counts")
"""
MODULES = {
    "program.py": APP,
    "prices.py": "PRICES = {'tea': 2.0, 'cup': 5.0}\n\n\ndef of(item):\n    return PRICES[item]\n",
    "lazy.py": "WORD = 'late'\n",
}


def clean_environment():
    """Nothing in it leads to the checkout or to this environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    home = {"SPARK_HOME": str(jars.pyspark_jars().parent), "JAVA_HOME": str(find_java().path.resolve().parents[1])}
    return {**kept, **home, "SPARK_DAEMON_MEMORY": "256m"}


class Daemon:
    """One process of the cluster, with a directory and a log of its own."""

    def __init__(self, folder: Path, main: str, *arguments: str) -> None:
        folder.mkdir()
        self.log = folder / "log"
        command = [jars.pyspark_jars().parent / "bin" / "spark-class", main, *arguments]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, cwd=folder, env=clean_environment(), stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def said(self, pattern: str) -> str:
        deadline = time.monotonic() + 120
        while not (found := re.search(pattern, self.log.read_text())):
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)
        return found[1]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


@pytest.fixture
def master(tmp_path):
    """The address of a cluster with one worker."""
    package = "org.apache.spark.deploy"
    first = Daemon(
        tmp_path / "master", f"{package}.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"
    )
    url = first.said(r"Starting Spark master at (spark://\S+)")
    options = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", "2", "--memory", "1g"]
    options += ["--work-dir", str(tmp_path / "work")]
    second = Daemon(tmp_path / "worker", f"{package}.worker.Worker", *options, url)
    second.said(r"(Successfully registered) with master")
    yield url
    second.stop()
    first.stop()


def test_modules_beside_the_app_reach_the_executors(broker, topics, master, tmp_path):
    home = tmp_path / "app"
    (home / "shop").mkdir(parents=True)
    (home / "shop" / "__init__.py").touch()
    (home / "shop" / "rate.txt").write_text("1.5")
    (home / "shop" / "taxes.py").write_text(
        "from pathlib import Path\n\nRATE = float(Path(__file__).with_name('rate.txt').read_text())\n\n\n"
        "def taxed(amount):\n    return amount * RATE\n"
    )
    for name, text in MODULES.items():
        (home / name).write_text(text)
    topics.ensure([TopicSpec("cluster-orders", 2)])
    topics.produce(
        Record("cluster-orders", str(n).encode(), json.dumps({"item": "tea" if n % 2 else "cup", "pieces": n}).encode())
        for n in range(100)
    )

    command = [sys.executable, "-m", "holdfast.cli.main", "run", str(home / "program.py"), "--brokers", broker.address]
    done = subprocess.run(
        [*command, "--mode", "drain", "--master", master], capture_output=True, text=True, timeout=280, check=False
    )
    log = home / ".holdfast" / "cluster" / "logs" / "spark.log"
    assert done.returncode == 0, done.stderr + log.read_text()[-5000:]
    found = {int(r.key): json.loads(r.value) for r in topics.read("cluster-totals")}
    assert {n: each["total"] for n, each in found.items()} == {n: n * (3.0 if n % 2 else 7.5) for n in range(100)}
    assert {each["lazy"] for each in found.values()} == {"late"}
    assert all(str(tmp_path / "work") in each["file"] for each in found.values())
    assert [int(r.value) for r in topics.read("cluster-counts")][-1] == 100
