"""Stateful stream processing for Python: the Kafka Streams model on Spark."""

from holdfast.dsl.app import App
from holdfast.dsl.cogrouped import Cogrouped, cogroup
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.join_window import JoinWindow
from holdfast.dsl.materialized import Materialized
from holdfast.dsl.metadata import headers, offset, partition, timestamp, topic
from holdfast.dsl.patterns import Pattern, absent, sequence, times
from holdfast.dsl.python_functions import arrow, python
from holdfast.dsl.record_windows import every, last, session, trailing
from holdfast.dsl.stateful_decorator import Stateful, stateful
from holdfast.dsl.store_handle import StoreHandle
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
from holdfast.workers.stateful_spec import keep
from holdfast.workers.timers import Timers

__all__ = [
    "App",
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
    "Schedule",
    "StateRefused",
    "StateStore",
    "Stateful",
    "StoreHandle",
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
    "every",
    "headers",
    "hopping",
    "int32",
    "int64",
    "json",
    "keep",
    "last",
    "offset",
    "partition",
    "python",
    "record_time",
    "sequence",
    "session",
    "sliding",
    "stateful",
    "string",
    "times",
    "timestamp",
    "topic",
    "trailing",
    "tumbling",
    "until_time",
    "until_window_closes",
    "wall_clock",
]
