"""A Spark cluster of processes that share nothing with the app: its code, and ours, get there by themselves."""

import json
import os
import subprocess
import sys

import pytest

from holdfast.spark import authentication
from holdfast.spark.jvm import start_jvm, stop_jvm
from holdfast.topics.records import Record, TopicSpec
from tests.faults.cluster import SECRET, Cluster
from tests.security.intruder import Intruder, listening_ports

APP = """
import holdfast as hf
import prices
from shop.taxes import taxed

app = hf.App(
    "cluster",
    tasks=2,
    spark={"spark.driver.host": "127.0.0.1", "spark.executor.memory": "600m"},
    python={"environment": "ENVIRONMENT"},
)
orders = app.stream("cluster-orders", "item STRING, pieces BIGINT", key=str)


def total(order):
    import lazy
    import pyarrow

    price = taxed(prices.of(order.item) * order.pieces)
    return {"total": price, "lazy": lazy.WORD, "file": prices.__file__, "package": pyarrow.__file__}


totals = orders.map_values(hf.python(total, returns="total DOUBLE, lazy STRING, file STRING, package STRING"))
totals.to("cluster-totals")
totals.group_by(lambda t: t.lazy).count(store="orders").to("cluster-counts")
"""
MODULES = {
    "prices.py": "PRICES = {'tea': 2.0, 'cup': 5.0}\n\n\ndef of(item):\n    return PRICES[item]\n",
    "lazy.py": "WORD = 'late'\n",
}


# All packages of the environment are some hundred megabytes: they travel only if that is asked for.
ENVIRONMENTS = ["same", *(["send"] if os.environ.get("HOLDFAST_SEND_PACKAGES") else [])]


@pytest.fixture
def cluster(tmp_path):
    """A cluster with one worker."""
    with Cluster(tmp_path / "cluster") as started:
        yield started


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_modules_beside_the_app_reach_the_executors(broker, topics, cluster, tmp_path, environment):
    home = tmp_path / "app"
    (home / "shop").mkdir(parents=True)
    (home / "shop" / "__init__.py").touch()
    (home / "shop" / "rate.txt").write_text("1.5")
    (home / "shop" / "taxes.py").write_text(
        "from pathlib import Path\n\nRATE = float(Path(__file__).with_name('rate.txt').read_text())\n\n\n"
        "def taxed(amount):\n    return amount * RATE\n"
    )
    for name, text in {**MODULES, "program.py": APP.replace("ENVIRONMENT", environment)}.items():
        (home / name).write_text(text)
    topics.ensure([TopicSpec("cluster-orders", 2)])
    topics.produce(
        Record("cluster-orders", str(n).encode(), json.dumps({"item": "tea" if n % 2 else "cup", "pieces": n}).encode())
        for n in range(100)
    )

    command = [sys.executable, "-m", "holdfast.cli.main", "run", str(home / "program.py"), "--brokers", broker.address]
    command += ["--mode", "drain", "--master", cluster.url]
    known = {**os.environ, **cluster.variables}
    done = subprocess.run(command, env=known, capture_output=True, text=True, timeout=280, check=False)
    log = home / ".holdfast" / "cluster" / "logs" / "spark.log"
    assert done.returncode == 0, done.stderr + log.read_text()[-5000:]
    found = {int(r.key): json.loads(r.value) for r in topics.read("cluster-totals")}
    assert {n: each["total"] for n, each in found.items()} == {n: n * (3.0 if n % 2 else 7.5) for n in range(100)}
    assert {each["lazy"] for each in found.values()} == {"late"}
    assert all(str(cluster.work) in each["file"] for each in found.values())
    sent = [str(cluster.work) in each["package"] for each in found.values()]
    assert all(sent) if environment == "send" else not any(sent)
    assert [int(r.value) for r in topics.read("cluster-counts")][-1] == 100


def test_a_cluster_answers_those_who_know_its_secret(cluster, tmp_path):
    gateway = start_jvm(log_file=tmp_path / "intruder.log", heap="256m")
    known = {**authentication.ENCRYPTED, authentication.SECRET: SECRET}
    reached = {}
    for name, conf in {"nothing": {}, "a guess": {**known, authentication.SECRET: "a guess"}, "all": known}.items():
        intruder = Intruder(gateway, **conf)
        reached[name] = [intruder.reach(port, "Master") for port in listening_ports(cluster.master.process.pid)]
        intruder.close()
    stop_jvm(gateway)
    assert {name: sum(found is not None for found in each) for name, each in reached.items()} == {
        "nothing": 0,
        "a guess": 0,
        "all": 1,
    }
