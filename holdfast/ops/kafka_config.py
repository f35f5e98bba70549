"""The configuration of the local broker: one node that is broker and controller, small and for development."""

import base64
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from holdfast.ops import broker_password
from holdfast.private_files import write_private

SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "PLAINTEXT",
    # A misspelt topic should be an error, not an empty topic.
    "auto.create.topics.enable": "false",
    "num.partitions": "1",
    "default.replication.factor": "1",
    "min.insync.replicas": "1",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "4",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
    # After a kill the node waits until its former self counts as gone; nine seconds is Kafka's default.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    # Test data has the times of its story; by Kafka's default what is older than a week is soon gone.
    "log.retention.ms": "-1",
    "log.cleaner.dedupe.buffer.size": "33554432",
    "num.network.threads": "2",
    "num.io.threads": "4",
}


# For these, given values are added to those that there are.
LISTS = ("listeners", "advertised.listeners", "listener.security.protocol.map")


def write(
    home: Path, port: int, controller_port: int, more: Mapping[str, str] = MappingProxyType({})
) -> tuple[Path, str | None]:
    """Write server.properties; also give the cluster id to format with, None when the storage is formatted.

    `more` are settings of the broker's that win over ours; listeners are added to ours.
    """
    data = home / "data"
    settings = SETTINGS | {
        "log.dirs": str(data),
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
    }
    if broker_password.file_of(home).exists():
        settings |= broker_password.server_settings(broker_password.file_of(home))
    settings |= {name: f"{settings[name]},{value}" if name in LISTS else value for name, value in more.items()}
    path = home / "server.properties"
    write_private(path, "".join(f"{name}={value}\n" for name, value in settings.items()))
    formatted = (data / "meta.properties").exists() and (data / "bootstrap.checkpoint").exists()
    return path, None if formatted else _new_cluster_id()


def cluster_id(home: Path) -> str | None:
    """The id that the storage was formatted with, once it has been."""
    file = home / "data" / "meta.properties"
    lines = file.read_text().splitlines() if file.exists() else []
    return next((line.removeprefix("cluster.id=") for line in lines if line.startswith("cluster.id=")), None)


def _new_cluster_id() -> str:
    """Give a random id in Kafka's form; one that starts with a dash would look like an option."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text
