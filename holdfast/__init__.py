"""Stateful stream processing for Python: the Kafka Streams model on Spark."""

from holdfast.calls.processor import Processor, ProcessorContext, Record, Schedule
from holdfast.calls.state_store import StateStore
from holdfast.calls.stateful_call import keep
from holdfast.calls.timers import Timers
from holdfast.dsl.app import App
from holdfast.dsl.cogrouped import Cogrouped, cogroup
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.join_window import JoinWindow
from holdfast.dsl.materialized import Materialized
from holdfast.dsl.metadata import headers, offset, partition, timestamp, topic
from holdfast.dsl.patterns import Pattern, absent, sequence, times
from holdfast.dsl.python_functions import arrow, python
from holdfast.dsl.record_windows import every, last, session, trailing
from holdfast.dsl.stateful import Stateful, stateful
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
