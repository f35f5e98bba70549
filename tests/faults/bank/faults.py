"""All faults by their names, and which of them can strike what."""

from __future__ import annotations

from tests.faults.bank import changes, strikes
from tests.faults.bank.strikes import POINTS, Strike
from tests.faults.bank.subject import Subject

EVERYWHERE: dict[str, Strike] = {
    "kill -9 Python": strikes.python,
    "kill -9 JVM": strikes.jvm,
    "kill -9 at the start": strikes.starting,
    "kill -9 broker": strikes.broker,
    "broker restart in transaction": strikes.broker_in_transaction,
    "slow broker": changes.slow_broker,
    "SIGSTOP, SIGCONT": strikes.pause,
    "full disk": strikes.disk,
    "kill -9 query server": strikes.replica,
    "query server in apply": strikes.replica_apply,
    "checkpoint put back": changes.put_back,
    **{f"point {point}": strikes.at(point) for point in POINTS},
}
LOCAL: dict[str, Strike] = {
    **EVERYWHERE,
    "zombie JVM": strikes.zombie,
    "local state deleted": strikes.local_deleted,
    "local state truncated": strikes.local_truncated,
    "other number of cores": changes.cores,
    "power loss": changes.power,
}
CLUSTER: dict[str, Strike] = {
    **EVERYWHERE,
    "kill -9 executor": strikes.executor,
    "kill -9 all executors": strikes.executors,
    "SIGSTOP executor": strikes.executor_paused,
    "other width of the cluster": changes.cluster_width,
    "executors come and go": changes.come_and_go,
}
ALL: dict[str, Strike] = {**LOCAL, **CLUSTER}

# Without state there are no files of it, and nothing for a query server.
NEEDS_STATE = {
    "kill -9 query server",
    "query server in apply",
    "point before-state",
    "point after-state",
    "local state deleted",
    "local state truncated",
}


def possible(subject: Subject, *, on_cluster: bool) -> list[str]:
    """The faults that can strike a program."""
    return [name for name in (CLUSTER if on_cluster else LOCAL) if subject.stateful or name not in NEEDS_STATE]
