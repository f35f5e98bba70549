"""Stateful stream processing for Python: the Kafka Streams model on Spark."""

from importlib import import_module
from typing import TYPE_CHECKING

from holdfast.dsl.app import App
from holdfast.dsl.cogrouped import Cogrouped, cogroup
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.join_window import JoinWindow
from holdfast.dsl.materialized import Materialized
from holdfast.dsl.metadata import headers, offset, partition, timestamp, topic
from holdfast.dsl.patterns import Pattern, absent, repeat, sequence
from holdfast.dsl.python_functions import arrow, python
from holdfast.dsl.record_windows import session, sliding_count, trailing, tumbling_count
from holdfast.dsl.stateful_decorator import Stateful, stateful
from holdfast.dsl.store_handle import StoreHandle
from holdfast.dsl.store_update import StoreUpdate
from holdfast.dsl.stream import Stream
from holdfast.dsl.suppress import TimeLimit, WindowCloses, until_time, until_window_closes
from holdfast.dsl.table import GlobalTable, Table
from holdfast.dsl.windows import Window, calendar, hopping, sliding, tumbling
from holdfast.errors import HoldfastError, KeyNotFound, StateRefused
from holdfast.topics.serde import int32, int64, json, string
from holdfast.topics.windowed import Windowed
from holdfast.topology.graph import Topology
from holdfast.units.time import record_time, wall_clock
from holdfast.workers.processor_api import Processor, ProcessorContext, Record, Schedule
from holdfast.workers.state_store import StateStore
from holdfast.workers.stateful_spec import update_state
from holdfast.workers.timers import Timers

if TYPE_CHECKING:
    from holdfast.client import (
        AsyncClient,
        AsyncStore,
        Client,
        RequestError,
        SqlResult,
        connect,
        connect_async,
        read_store,
    )
    from holdfast.runtime.running import Running

__all__ = [
    "App",
    "AsyncClient",
    "AsyncStore",
    "Client",
    "Cogrouped",
    "GlobalTable",
    "Grouped",
    "HoldfastError",
    "JoinWindow",
    "KeyNotFound",
    "Materialized",
    "Pattern",
    "Processor",
    "ProcessorContext",
    "Record",
    "RequestError",
    "Running",
    "Schedule",
    "SqlResult",
    "SqlUpdate",
    "StateRefused",
    "StateStore",
    "Stateful",
    "StoreHandle",
    "StoreUpdate",
    "Stream",
    "Table",
    "TimeLimit",
    "Timers",
    "Topology",
    "Window",
    "WindowCloses",
    "Windowed",
    "absent",
    "arrow",
    "calendar",
    "cogroup",
    "connect",
    "connect_async",
    "headers",
    "hopping",
    "int32",
    "int64",
    "json",
    "offset",
    "partition",
    "python",
    "read_store",
    "record_time",
    "repeat",
    "sequence",
    "session",
    "sliding",
    "sliding_count",
    "stateful",
    "string",
    "timestamp",
    "topic",
    "trailing",
    "tumbling",
    "tumbling_count",
    "until_time",
    "until_window_closes",
    "update_state",
    "wall_clock",
]


_LAZY = {
    "Running": "holdfast.runtime.running",
    **dict.fromkeys(
        (
            "AsyncClient",
            "AsyncStore",
            "Client",
            "RequestError",
            "SqlResult",
            "SqlUpdate",
            "StoreUpdate",
            "connect",
            "connect_async",
            "read_store",
        ),
        "holdfast.client",
    ),
}


# To a type checker it would say that every name is there.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """What needs a Kafka client, Spark or an HTTP client is loaded when somebody asks for it."""
        if name in _LAZY:
            return getattr(import_module(_LAZY[name]), name)
        raise AttributeError(f"module 'holdfast' has no attribute {name!r}")
