"""The lease of an app: its one running instance is a member of a Kafka group, which the next instance sees."""

from __future__ import annotations

import logging
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from holdfast.errors import AlreadyRuns
from holdfast.topics.client import LOGGER, ClientSettings, client_settings

SESSION = 6.0  # the session timeout of a killed instance: the least that brokers allow by default
EXPIRY = SESSION + 2
_TIMEOUT = 5.0
_RETRY = 0.25
_MEMBER = re.compile(r"holdfast host=(?P<host>\S*) space=(?P<space>\S*) pid=(?P<pid>\d+) since=(?P<since>\d+)")

log = logging.getLogger("holdfast.runtime")

_held: dict[tuple[str, str], Lease] = {}


@dataclass(frozen=True)
class Instance:
    """A process that runs an app: on which host, in which PID namespace, since when in milliseconds."""

    host: str
    pid_namespace: str
    pid: int
    since: int

    @staticmethod
    def current() -> Instance:
        """This process."""
        return Instance(socket.gethostname(), _pid_namespace(), os.getpid(), int(time.time() * 1000))

    @property
    def name(self) -> str:
        """Its client id in the group."""
        return f"holdfast host={self.host} space={self.pid_namespace} pid={self.pid} since={self.since}"

    def has_ended(self, here: Instance) -> bool:
        """Whether it was a process of this machine that has ended, or is this very process."""
        if (self.host, self.pid_namespace) != (here.host, here.pid_namespace):
            return False
        return self.pid == here.pid or not _alive(self.pid)

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since / 1000, UTC).isoformat(sep=" ", timespec="seconds")
        return f"on {self.host} in process {self.pid}, since {since.replace('+00:00', 'Z')}"


class Lease:
    """The lease of an app; held until it is released or the process ends."""

    def __init__(self, app: str, brokers: str, kafka: Mapping[str, str], topic: str) -> None:
        self._app = app
        self._group = f"{app}-instance"
        self._settings = client_settings(brokers, kafka)
        self._topic = topic
        self._place = (brokers, app)
        self._instance = Instance.current()
        self.in_use: Callable[[], bool] = lambda: True
        """Whether the app still runs; one that has ended by itself lets the next start have its lease."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def check(self) -> None:
        """Refuse if another instance runs; a killed one counts until its session has expired."""
        if (own := _held.get(self._place)) is not None:
            if own.in_use():
                raise _refusal(self._app, own._instance)
            own.release()
        deadline = time.monotonic() + EXPIRY
        while others := [each for each in self._others() if not each.has_ended(self._instance)]:
            if self._runs_here(others[0]) or time.monotonic() > deadline:
                raise _refusal(self._app, others[0])
            time.sleep(_RETRY)

    def other(self) -> Instance | None:
        """Another instance that runs, if there is one."""
        return next((each for each in self._others() if not each.has_ended(self._instance)), None)

    def take(self) -> Lease:
        """Become the instance that runs; the topic must be there."""
        self.check()
        _held[self._place] = self
        self._thread = threading.Thread(target=self._hold, name=f"holdfast-lease-{self._app}", daemon=True)
        self._thread.start()
        return self

    def release(self) -> None:
        """Let another instance run."""
        if _held.get(self._place) is self:
            del _held[self._place]
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_TIMEOUT)

    def _runs_here(self, other: Instance) -> bool:
        """Whether the other instance is in this PID namespace, so that its pid shows whether it runs."""
        return (other.host, other.pid_namespace) == (self._instance.host, self._instance.pid_namespace)

    def _others(self) -> list[Instance]:
        deadline = time.monotonic() + _TIMEOUT
        while True:
            try:
                members = _members(self._settings, self._group)
                break
            except KafkaException as error:
                if time.monotonic() < deadline and error.args[0].code() in _STARTING:
                    time.sleep(_RETRY)
                    continue
                log.warning("cannot see whether another instance of %s runs: %s", self._app, error.args[0].str())
                return []
        found = [_MEMBER.match(client) for client in members]
        return [Instance(m["host"], m["space"], int(m["pid"]), int(m["since"])) for m in found if m]

    def _hold(self) -> None:
        settings = {
            **self._settings, "group.id": self._group, "client.id": self._instance.name, "enable.auto.commit": False,
            "session.timeout.ms": int(SESSION * 1000), "heartbeat.interval.ms": 2000, "auto.offset.reset": "latest",
        }  # fmt: skip
        try:
            consumer = Consumer(settings, logger=LOGGER)
            consumer.subscribe([self._topic], on_assign=lambda own, parts: own.pause(parts))
            while not self._stop.is_set():
                consumer.poll(0.2)
            consumer.close()
        except KafkaException as error:
            log.warning("other instances of %s cannot see this one: %s", self._app, error.args[0].str())


_STARTING = {
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    KafkaError.NOT_COORDINATOR,
    KafkaError._TIMED_OUT,
}


def _members(settings: ClientSettings, group: str) -> list[str]:
    """The client ids of the members of a group."""
    admin = AdminClient(settings, logger=LOGGER)
    try:
        found = admin.describe_consumer_groups([group], request_timeout=_TIMEOUT)[group].result(_TIMEOUT * 2)
    except KafkaException as error:
        if error.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND:
            return []
        raise
    return [str(member.client_id) for member in found.members]


def _refusal(app: str, other: Instance) -> AlreadyRuns:
    return AlreadyRuns(f"app {app!r} already runs {other}; stop that one first, or give this one a name of its own")


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return True


def _pid_namespace() -> str:
    """The PID namespace of this process: a container has its own."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
