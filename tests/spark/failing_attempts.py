"""What a process holds after a task has failed so often: `python -m … BROKERS TOPIC FOLDER ATTEMPTS`."""

import contextlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.runtime import start
from holdfast.spark import kernel

STAGE = "io.holdfast.kernel.spark.StageTaskPool"
POISON = -1


def add(total: int, n: int) -> int:
    if n == POISON:
        raise ValueError("poison")
    return total + n


def main() -> None:
    brokers, topic, folder, attempts = sys.argv[1:]
    app = hf.App("failing", tasks=1, on_error="fail", spark={"spark.master": f"local[2,{attempts}]"})
    app.settings = replace(app.settings, state_dir=Path(folder))
    numbers = app.stream(topic, int, key=str).group_by_key()
    numbers.count(store="counts")  # has written its rows when the other fails
    numbers.aggregate(0, hf.python(add, returns=int), store="sums").to_stream().to("sums")
    counts = {}
    with contextlib.suppress(HoldfastError):
        start(app, brokers=brokers, mode="drain").wait("10 minutes")
        counts["ended"] = "without failure"
    jvm = kernel.gateway().jvm
    jvm.System.gc()
    jvm.Thread.sleep(500)  # what is cleaned after a collection is cleaned by another thread
    counts |= {
        "attempts": failed(jvm),
        "tasks in use": static(jvm, STAGE, "BUSY").size(),
        "tasks to be used": sum(each.size() for each in static(jvm, STAGE, "IDLE").values()),
        "owners of cache": field(static(jvm, "io.holdfast.kernel.stores.MemoryShare$Process", "TOTAL"), "owners"),
        "consumers": sum(
            each.size() for each in static(jvm, "io.holdfast.kernel.source.ConsumerPool", "IDLE").values()
        ),
        "producers": threads(jvm, "kafka-producer-network-thread"),
        "Python workers": workers(kernel.gateway().proc.pid),
    }
    print("COUNTS " + json.dumps(counts), flush=True)


def failed(jvm) -> int:
    """How many attempts of tasks have failed, as Spark counts them."""
    tracker = jvm.org.apache.spark.sql.SparkSession.getDefaultSession().get().sparkContext().statusTracker()
    stages = [tracker.getStageInfo(number) for number in range(10)]
    return sum(stage.get().numFailedTasks() for stage in stages if stage.isDefined())


def static(jvm, owner, name):
    """A private static field of a class of the kernel's."""
    found = jvm.java.lang.Class.forName(owner).getDeclaredField(name)
    found.setAccessible(True)
    return found.get(None)


def field(thing, name):
    """A private field of an object."""
    found = thing.getClass().getDeclaredField(name)
    found.setAccessible(True)
    return found.get(thing)


def threads(jvm, name):
    """How many threads have such a name."""
    return sum(name in each.getName() for each in jvm.Thread.getAllStackTraces().keySet())


def workers(pid: int) -> int:
    """How many processes are children of this one."""
    return sum(len(each.read_text().split()) for each in Path(f"/proc/{pid}/task").glob("*/children"))


if __name__ == "__main__":
    main()
