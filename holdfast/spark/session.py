"""The Spark session of an app, made in the JVM that runs the kernel."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.errors import SettingsError
from holdfast.settings import Settings
from holdfast.spark import authentication, kernel, memory
from holdfast.spark.java_value import JavaValue
from holdfast.spark.worker_environment import archives, is_local, java_jars

if TYPE_CHECKING:
    from pyspark.sql import SparkSession as SparkSession  # for those who get one from here

STATE = "spark.sql.streaming.stateStore"
STATE_CACHE = "spark.holdfast.stateCache"
FSYNC = "spark.hadoop.holdfast.fsync"
MOST_CACHED = 2 << 30

# Why each is set: docs/internals/dependencies.md, "Spark settings".
DEFAULTS = {
    "spark.master": "local[*]",
    "spark.ui.enabled": "false",
    # Spark's own words, and those of Kafka's clients.
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|jaas|keystore[.]key",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    "spark.sql.streaming.numRecentProgressUpdates": "100",
    "spark.sql.streaming.checkpointFileManagerClass": "io.holdfast.kernel.spark.LocalCheckpoint",
    f"{STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{STATE}.rocksdb.trackTotalNumberOfRows": "false",
    f"{STATE}.checkpointFormatVersion": "2",
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    "spark.shuffle.streaming.networkBufferMaxWaitTimeMs": "1",
}

# What one process does not need, and where nobody else needs to reach it.
LOCAL = {
    "spark.shuffle.compress": "false",
    "spark.shuffle.checksum.enabled": "false",
    "spark.broadcast.compress": "false",
    f"{STATE}.rocksdb.compression": "none",
    f"{STATE}.rocksdb.writeBufferSizeMB": "128",
    f"{STATE}.rocksdb.blockSizeKB": "16",
    "spark.hadoop.fs.file.impl": "io.holdfast.kernel.spark.LocalDisk",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


def partitions(tasks: int, cores: int) -> int:
    """How many Spark partitions hold the tasks: as many as there are cores, but so that tasks spread evenly."""
    return max(n for n in range(1, min(tasks, cores) + 1) if tasks % n == 0)


def create(settings: Settings, log_file: Path, at_once: int = 0) -> JavaValue:
    """Give a Java SparkSession for an app that runs so many tasks `at_once`; the JVM starts at the first call."""
    conf = configuration(settings)
    if conf["spark.master"] in ("local[*]", "local"):
        conf["spark.master"] = f"local[{max(at_once, cores(settings))}]" if at_once else conf["spark.master"]
    # What print() writes goes where Python's own output goes.
    jvm = kernel.gateway(log_file, heap=conf.get("spark.driver.memory", "2g"), stdout=1).jvm
    builder = jvm.org.apache.spark.sql.SparkSession.builder().appName(settings.name)
    for name, value in conf.items():
        builder = builder.config(name, value)
    return kernel.call(builder.getOrCreate)


def check_speculation(java_session: JavaValue) -> None:
    """Refuse a session that may run a task twice at the same time."""
    if java_session.sparkContext().conf().getBoolean("spark.speculation", False):
        raise SettingsError(
            "spark.speculation runs a task twice at the same time, and each attempt would fence the other. Leave it off"
        )


def for_python(java_session: JavaValue) -> SparkSession:
    """The same session as a PySpark `SparkSession`, for functions of the user's that want one."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    known = SparkSession.getActiveSession()
    if known is not None:
        return known
    gateway = kernel.gateway()
    context = gateway.jvm.JavaSparkContext(java_session.sparkContext())
    conf = SparkConf(_jvm=gateway.jvm, _jconf=context.getConf())
    return SparkSession(SparkContext(gateway=gateway, jsc=context, conf=conf), java_session)


def configuration(settings: Settings) -> dict[str, str]:
    """Spark's settings: ours, then the user's, who has the last word."""
    user: Mapping[str, str] = settings.spark
    master = user.get("spark.master") or DEFAULTS["spark.master"]
    ours = {**DEFAULTS, **(_local() if is_local(master) else {}), **_bounded(settings.state_memory)}
    ours[FSYNC] = str(settings.fsync).lower()
    secured = authentication.settings_for(master, user, settings.base)
    secret = {name: value for name, value in secured.items() if name == authentication.SECRET}
    known = {**ours, **secured, **user, **secret, **_sent(settings, master)}
    conf = {name: value for name, value in known.items() if value}
    wanted = user.get("spark.sql.shuffle.partitions") or str(partitions(settings.tasks, cores(settings)))
    return {**conf, "spark.sql.shuffle.partitions": wanted}


def cores(settings: Settings) -> int:
    """How many cores the app has, as far as it is known before it starts."""
    master = settings.spark.get("spark.master") or DEFAULTS["spark.master"]
    return _cores(master) if is_local(master) else settings.tasks


def runs_here(java_session: JavaValue) -> bool:
    """Whether its tasks run in the JVM of the session itself, and not on a cluster."""
    return bool(kernel.call(lambda: java_session.sparkContext().isLocal()))


def slots(java_session: JavaValue) -> int:
    """How many tasks the session can run at the same time."""
    return int(kernel.call(java_session.sparkContext().defaultParallelism))


def _sent(settings: Settings, master: str) -> dict[str, str]:
    """The jars and the code that executors of a cluster get, with the user's."""
    if is_local(master):
        return {}
    ours = {
        "spark.jars": map(str, java_jars()),
        "spark.archives": archives(settings.base, settings.python).values(),
    }
    return {name: ",".join([*each, *filter(None, [settings.spark.get(name)])]) for name, each in ours.items()}


def _local() -> dict[str, str]:
    """What holds in one process, which may take an eighth of all memory for rows of state."""
    return {**LOCAL, STATE_CACHE: str(min(MOST_CACHED, memory.available() // 8))}


def _bounded(state: int | None) -> dict[str, str]:
    """Half for the cache of rows, and half for RocksDB: one cache for all stores, with what it has not yet written."""
    if state is None:
        return {}
    return {
        STATE_CACHE: str(state // 2),
        f"{STATE}.rocksdb.boundedMemoryUsage": "true",
        f"{STATE}.rocksdb.maxMemoryUsageMB": str(max(1, state - state // 2 >> 20)),
    }


def _cores(master: str) -> int:
    inside = master.partition("[")[2].partition("]")[0].partition(",")[0]
    return int(inside) if inside.isdigit() else len(os.sched_getaffinity(0))
