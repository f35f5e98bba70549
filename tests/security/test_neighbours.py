"""Other users of the machine reach the ports of an app, and get nothing from them."""

import json

import pytest

from holdfast.ops.ports import choose_port
from holdfast.spark.jvm import start_jvm, stop_jvm
from holdfast.topics.records import Record, TopicSpec
from tests.faults.running import Run
from tests.security.intruder import Intruder, listening_ports

pytestmark = [pytest.mark.broker, pytest.mark.spark]
APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("NAME", tasks=2, trigger="100 ms", spark=SPARK)
events = app.stream("NAME-events", "score INT NOT NULL", key=str)
events.group_by_key().agg(n=F.count("*"), store="teams")
"""


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    """The JVM of somebody else."""
    started = start_jvm(log_file=tmp_path_factory.mktemp("intruder") / "jvm.log", heap="256m")
    yield started
    stop_jvm(started)


@pytest.fixture
def intruder(gateway):
    """Somebody who has Spark, and not the secret."""
    made = Intruder(gateway)
    yield made
    made.close()


@pytest.fixture
def run(broker, topics, tmp_path):
    """Starts an app, and waits until it has counted."""
    started = []

    def begin(name, **spark):
        file = tmp_path / f"{name}.py"
        file.write_text(APP.replace("NAME", name).replace("SPARK", repr({"spark.master": "local[2]", **spark})))
        topics.ensure([TopicSpec(f"{name}-events", 1)])
        topics.produce([Record(f"{name}-events", b"a", json.dumps({"score": 1}).encode())])
        started.append(Run(file, broker.address, choose_port()))
        started[-1].wait_for(lambda: started[-1].has(1))
        return started[-1]

    yield begin
    for each in started:
        each.kill()


def test_an_app_that_asks_nobody_who_he_is_obeys_everybody(run, intruder):
    app = run("open", **{"spark.authenticate": "false"})
    reached = [found for port in listening_ports(app.jvm()) if (found := intruder.reach(port))]
    assert len(reached) == 1


def test_no_port_of_an_app_answers_who_does_not_know_the_secret(run, intruder, gateway, topics):
    app = run("shut")
    ports = listening_ports(app.jvm())
    assert ports
    assert [port for port in ports if intruder.reach(port)] == []
    guess = Intruder(gateway, **{"spark.authenticate": "true", "spark.authenticate.secret": "a guess"})
    assert [port for port in ports if guess.reach(port)] == []
    guess.close()
    topics.produce([Record("shut-events", b"b", json.dumps({"score": 1}).encode())])
    app.wait_for(lambda: app.has(2))
    app.stop()
