"""A neighbour on the machine: another program that speaks Spark's own protocol and does not know the secret."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError

LISTENING = "0A"
SCHEDULER = "LocalSchedulerBackendEndpoint"


def listening_ports(pid: int) -> list[int]:
    """The TCP ports on which a process listens, as the system has them."""
    own = {each.readlink().name for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()}
    return sorted(port for port, socket in _listening(pid) if f"socket:[{socket}]" in own)


def _listening(pid: int) -> Iterator[tuple[int, str]]:
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING:
                yield int(fields[1].rpartition(":")[2], 16), fields[9]


class Intruder:
    """Spark's RPC client in a JVM of its own."""

    def __init__(self, gateway: Any, **conf: str) -> None:
        self._jvm = gateway.jvm
        known = self._jvm.org.apache.spark.SparkConf(False)
        settings = {
            "spark.rpc.lookupTimeout": "10s",
            "spark.rpc.askTimeout": "10s",
            "spark.rpc.numRetries": "1",
            **conf,
        }
        for name, value in settings.items():
            known.set(name, value)
        manager = self._jvm.org.apache.spark.SecurityManager
        defaults = (getattr(manager, f"$lessinit$greater$default${n}")() for n in (2, 3))
        create = self._jvm.org.apache.spark.rpc.RpcEnv.create
        self._env = create("intruder", "127.0.0.1", 0, known, manager(known, *defaults), True)

    def reach(self, port: int, endpoint: str = SCHEDULER) -> Any:
        """The endpoint behind a port, or None if the driver does not answer who asks for it."""
        address = self._jvm.org.apache.spark.rpc.RpcAddress("127.0.0.1", port)
        try:
            return self._env.setupEndpointRef(address, endpoint)
        except Py4JJavaError:
            return None

    def close(self) -> None:
        """Let its ports go."""
        self._env.shutdown()
