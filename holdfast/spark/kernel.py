"""Calls into the kernel: one JVM per process, errors as the user should see them."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from holdfast.documents import Document
from holdfast.errors import DataLoss, HoldfastError, JavaError, KernelError, OutputFenced
from holdfast.spark import jars
from holdfast.spark.java_value import JavaValue
from holdfast.spark.jvm import start_jvm

T = TypeVar("T")
# py4j logs what it also raises.
logging.getLogger("py4j").addHandler(logging.NullHandler())
logging.getLogger("py4j").propagate = False
_LOST = re.compile(r"data may have been (?:lost|missed).*?(?:Reason: |$)(.*)", re.DOTALL)
_KERNEL_ERRORS = ("io.holdfast.kernel.errors.KernelError", "io.holdfast.kernel.workers.PythonWorkerLost")
_FENCED = "io.holdfast.kernel.errors.FencedException"
_FULL = "No space left on device"
DISK_FULL = (
    "a disk is full: that of the state directory, where the checkpoint is, or that of Spark's working files. Nothing "
    "is lost and nothing half written counts: make room, then start the app again; it goes on where it was"
)
_DAMAGED = re.compile(
    r"(?<=local files of the state are damaged: ).*|truncated block read.*|block checksum mismatch.*"
    r"|While (?:pread|open a file for random read).*"
)
_lock = threading.Lock()
_gateway: JavaValue | None = None


def gateway(log_file: Path | None = None, *, heap: str = "2g", stdout: int | None = None) -> JavaValue:
    """Give the JVM of this process, started at the first call; later calls get the same one."""
    global _gateway
    with _lock:
        if _gateway is None or _gateway.proc.poll() is not None:
            jars.ensure(["connector"])
            _gateway = start_jvm(
                log_file=log_file or jars.cache_dir() / "logs" / "kernel.log", heap=heap, stdout=stdout
            )
        return _gateway


def adopt(jvm_gateway: JavaValue | None) -> None:
    """Use the JVM of a Spark session that the user made."""
    global _gateway
    with _lock:
        _gateway = jvm_gateway


def check(plan: Document) -> Document:
    """Resolve every type of a plan: `{"nodes": {id: {key, value}}, "stores": {name: …}}`."""
    answer: Document = json.loads(call(lambda: str(gateway().jvm.io.holdfast.kernel.Kernel.check(json.dumps(plan)))))
    return answer


def call(question: Callable[[], T]) -> T:
    """Ask the kernel; what it refuses is a `KernelError` with the node and the user's line."""
    from py4j.protocol import Py4JError, Py4JJavaError

    try:
        return question()
    except Py4JJavaError as problem:
        raise error_of(problem.java_exception) from None
    except (Py4JError, OSError) as problem:
        if not _gone():
            raise
        raise JavaError(
            "the JVM that ran Spark is gone; its log says why. Started again, the app goes on where it was"
        ) from problem


def _messages(exception: JavaValue | None) -> Iterator[str]:
    """What an exception and its causes say."""
    while exception is not None:
        yield str(exception.getMessage())
        exception = exception.getCause()


def _gist(message: str) -> str:
    """Spark's words without the query's plan and identity around them."""
    message = message.partition("\n=== Streaming Query ===")[0].partition(" SQLSTATE: ")[0]
    return re.sub(r"^\[STREAM_FAILED\] Query \[.*?\] terminated with exception: ", "", message, flags=re.DOTALL).strip()


def _gone(timeout: float = 5) -> bool:
    """Whether the JVM has ended, or is about to: the connection breaks a moment earlier."""
    process = getattr(_gateway, "proc", None)
    try:
        return process is not None and process.wait(timeout) is not None
    except subprocess.TimeoutExpired:
        return False


def _cause(exception: JavaValue | None, *classes: str) -> JavaValue | None:
    """The first of an exception and its causes that is of one of the classes, or None."""
    while exception is not None and str(exception.getClass().getName()) not in classes:
        exception = exception.getCause()
    return exception


def error_of(exception: JavaValue) -> HoldfastError:
    """A Java exception as ours: the kernel's own error if there is one among the causes."""
    if (found := _cause(exception, *_KERNEL_ERRORS)) is not None:
        node, at = (str(each or "") or None for each in (found.node(), found.at()))
        return KernelError(f"{node}: {found.getMessage()}" if node else str(found.getMessage()), node=node, at=at)
    if (fenced := _cause(exception, _FENCED)) is not None:
        return OutputFenced(
            f"{fenced.getMessage()}: by an instance of the app that has ended since, or by an attempt of a task that "
            "Spark had given up. Nothing is lost: start the app again, it goes on where it was"
        )
    if any(_FULL in message for message in _messages(exception)):
        return HoldfastError(DISK_FULL)
    if damaged := next(filter(None, map(_DAMAGED.search, _messages(exception))), None):
        return HoldfastError(_damaged(damaged[0]))
    message = _gist(str(exception.getMessage() or exception.toString()))
    lost = _LOST.search(message)
    if lost:
        return DataLoss(
            f"records that the app had still to read are gone from Kafka: {' '.join(lost[1].split())}. Retention or "
            "somebody deleted them. To go on without them, start once with --skip-lost"
        )
    if "UnknownTopicOrPartition" in message:
        return DataLoss(
            "a topic that the app reads or writes was deleted while it ran; make it again, then start the app: it says "
            "what that means for its state"
        )
    return KernelError(message)


def _damaged(what: str) -> str:
    return (
        f"what RocksDB has on the local disk is not what it wrote ({what}). The state itself is in the checkpoint, and "
        "nothing was written of a batch that it could not read for: start the app again, it goes on where it was; if "
        "this happens again, look after the disk"
    )
