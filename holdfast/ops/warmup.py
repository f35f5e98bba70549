"""Training for the class archive: a small app through the kernel, and small queries through Spark."""

import base64
import contextlib
import json
import os
import signal
import sys
import threading
from pathlib import Path

from holdfast.dsl.app import App
from holdfast.errors import HoldfastError
from holdfast.plan.planner import plan
from holdfast.spark import archive
from holdfast.spark.java_value import JavaValue

CONF = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}
KERNEL_DRIVER = "io.holdfast.kernel.testing.TestDriver"


def exercise(gateway: JavaValue, folder: Path) -> None:
    """Do what apps and their tests do at their start; a part that fails costs only its classes."""
    with contextlib.suppress(Exception):
        drive(gateway)
    builder = gateway.jvm.org.apache.spark.sql.SparkSession.builder().master("local[1]")
    for name, value in {
        **CONF,
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        session.sql("select id % 3 as k, count(*) as n from range(100) group by 1").collectAsList()
        with contextlib.suppress(Exception):
            stream(gateway, session, folder)
    finally:
        session.stop()


def drive(gateway: JavaValue) -> str:
    """Send records through a small app on the kernel, and give what it wrote."""
    document = json.dumps(plan(program().topology).json())
    driver = call_static(gateway, kernel_class(gateway, KERNEL_DRIVER), "open", document, 0, False)
    return str(driver.pipe(json.dumps([record("players", "1", {"name": "a"}), record("scores", "1", {"score": 7})])))


def program() -> App:
    """Give an app with the usual nodes."""
    app = App("warmup")
    players = app.table("players", "name STRING", key=int)
    scores = app.stream("scores", "score BIGINT", key=int).filter(lambda s: s.score > 0)
    named = scores.join(players, lambda s, p: {"name": p.name, "score": s.score})
    named.group_by(lambda r: r.name).top(3, by=lambda r: r.score, store="best").to("best-scores")
    return app


def record(topic: str, key: str, value: object) -> dict[str, object]:
    """Give a record as the kernel's driver takes it."""
    encoded = (base64.b64encode(text.encode()).decode() for text in (key, json.dumps(value)))
    return {"topic": topic, "timestamp": 0, **dict(zip(("key", "value"), encoded, strict=True))}


def stream(gateway: JavaValue, session: JavaValue, folder: Path) -> None:
    """Run one batch of a stateful streaming query."""
    rows = session.readStream().format("rate-micro-batch").option("rowsPerBatch", "10").load()
    writer = rows.dropDuplicates().writeStream().format("noop").outputMode("append")
    once = gateway.jvm.org.apache.spark.sql.streaming.Trigger.Once()
    writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(once).start().awaitTermination(60_000)


def kernel_class(gateway: JavaValue, name: str) -> JavaValue:
    """Load a class of the kernel by a loader of its own: the archive must not depend on the kernel's jar."""
    java = gateway.jvm.java
    urls = gateway.new_array(java.net.URL, 1)
    urls[0] = java.io.File(str(archive.KERNEL)).toURI().toURL()
    loader = java.net.URLClassLoader(urls, java.lang.ClassLoader.getSystemClassLoader())
    java.lang.Thread.currentThread().setContextClassLoader(loader)
    return loader.loadClass(name)


def call_static(gateway: JavaValue, owner: JavaValue, name: str, *arguments: object) -> JavaValue:
    """Call a static method by its name."""
    method = next(m for m in owner.getMethods() if str(m.getName()) == name)
    given = gateway.new_array(gateway.jvm.java.lang.Object, len(arguments))
    for position, argument in enumerate(arguments):
        given[position] = argument
    return method.invoke(None, given)


def end_with_owner() -> None:
    """Interrupt this process when standard input ends, which is when the process that started it does."""

    def listen() -> None:
        sys.stdin.buffer.read()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=listen, daemon=True).start()


if __name__ == "__main__":
    if "--background" in sys.argv:
        os.nice(19)
        end_with_owner()
    try:
        archive.make(exercise)
    except KeyboardInterrupt:
        sys.exit(1)
    except HoldfastError as problem:
        sys.exit(f"holdfast: {problem}")
