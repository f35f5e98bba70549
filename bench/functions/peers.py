"""How each peer is installed and started: as its own documentation recommends for throughput on two cores."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.spark import jars

HERE = Path(__file__).parent
WORKLOADS = ("map", "w2", "w3")


@dataclass(frozen=True)
class Peer:
    """A peer: its packages, its command, how many records it gets, and how one knows how far it is.

    `progress_from` is "batches" if it prints its progress, and "results" if its results show it: each comes from one
    record, or holds how many it comes from. `more` is for workloads that would be over before the peer has warmed up.
    """

    command: Callable[[str], list[str]]
    records: int
    progress_from: str
    packages: tuple[str, ...] = ()
    workloads: tuple[str, ...] = WORKLOADS
    more: Mapping[str, int] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def count(self, workload: str) -> int:
        """How many records it gets."""
        return self.more.get(workload, self.records)


def _ours(python: str) -> list[str]:
    return [sys.executable, "-m", "bench.functions.ours"]


def _spark(python: str) -> list[str]:
    return [python, "-m", "bench.functions.spark_state"]


def _twice(*command: str) -> list[str]:
    return [sys.executable, str(HERE / "several.py"), "2", *command]


def _bytewax(python: str) -> list[str]:
    """One worker in each of two processes: workers of one process wait for each other."""
    addresses = ";".join(f"127.0.0.1:{_free_port()}" for _ in range(2))
    return _twice(python, "-m", "bytewax.run", str(HERE / "bytewax_flow.py:flow"), "-i", "{PROC}", "-a", addresses)


def _faust(python: str) -> list[str]:
    faust = str(Path(python).parent / "faust")
    return _twice(
        faust, "--loop", "uvloop", "-A", "faust_app", "-W", str(HERE), "worker", "-l", "warn", "--without-web"
    )


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


_SPARK = ("pyspark==4.3.0", "pyarrow==26.0.1", "pandas==2.3.3", "numpy==2.4.6", "protobuf==7.36.2")
PEERS = {
    "ours": Peer(
        _ours, 4_000_000, "batches", more={"w2": 12_000_000, "w3": 12_000_000}, environment={"VARIANT": "aggregate"}
    ),
    "ours-stateful": Peer(
        _ours, 4_000_000, "batches", workloads=("w2", "w3"), environment={"VARIANT": "stateful"}
    ),
    "quix": Peer(
        lambda python: _twice(python, str(HERE / "quix_app.py")), 400_000, "results",
        ("quixstreams==3.28.1", "confluent-kafka==2.12.2", "orjson==3.13.0", "rocksdict==0.3.29"),
    ),
    "bytewax": Peer(
        _bytewax, 600_000, "results", ("bytewax[kafka]==0.21.1", "confluent-kafka==2.16.1", "orjson==3.13.0")
    ),
    "faust": Peer(
        _faust, 100_000, "results",
        ("faust-streaming==0.15.3", "aiokafka==0.14.0", "rocksdict==0.3.29", "uvloop==0.23.0", "cramjam==2.14.0"),
    ),
    "spark-rows": Peer(_spark, 2_000_000, "batches", _SPARK, environment={"VARIANT": "rows"}),
    "spark-pandas": Peer(
        _spark, 1_000_000, "batches", _SPARK, workloads=("w2", "w3"), environment={"VARIANT": "pandas"}
    ),
    "pathway": Peer(
        lambda python: [
            str(Path(python).parent / "pathway"), "spawn", "--threads", "2", python, str(HERE / "pathway_app.py"),
        ],
        2_000_000, "results", ("pathway==0.33.0",),
    ),
}  # fmt: skip


def python_of(name: str, peer: Peer) -> str:
    """The interpreter of the peer's own environment, made if it is not there: its packages are not ours."""
    if not peer.packages:
        return sys.executable
    venv = HERE.parent / f".venv-{name.split('-')[0]}-functions"
    python = str(venv / "bin/python")
    if not (venv / "done").exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "--quiet", "--allow-existing", str(venv)], check=True)
        subprocess.run([*uv, "pip", "install", "--quiet", "--python", python, *peer.packages], check=True)
        (venv / "done").touch()
    return python


def environment(name: str, peer: Peer, count: int) -> dict[str, str]:
    """What a peer finds in its environment besides what all get."""
    connector = ",".join(map(str, jars.paths("connector")))
    return {**peer.environment, "JARS": connector, "TRIGGER": str(min(1_000_000, max(1, count // 2)))}
