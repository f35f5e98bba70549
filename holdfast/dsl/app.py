"""The app: where a program begins."""

from __future__ import annotations

import html
import importlib
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from holdfast import settings as options
from holdfast.dsl.handle import apps
from holdfast.dsl.importing import is_importing
from holdfast.dsl.materialized import StoreArg, store_options
from holdfast.dsl.routes import HasRoutes
from holdfast.dsl.source import MAX_AHEAD, SourceOptions, dataframe_fields, source_node
from holdfast.dsl.store_handle import Backend, StoreHandle
from holdfast.dsl.stream import Stream
from holdfast.dsl.table import GlobalTable, Table
from holdfast.errors import TopologyError
from holdfast.names import check_name
from holdfast.position import user_frame, user_position
from holdfast.topics.own_topics import dead_letter_topic
from holdfast.topology.checks import check_topology
from holdfast.topology.graph import Graph, Topology
from holdfast.topology.sources import DataFrame

if TYPE_CHECKING:
    from holdfast.runtime.running import Running

K = TypeVar("K")
V = TypeVar("V")
_DEFAULT = options.DEFAULTS


class App(HasRoutes):
    """A program: it reads topics, computes, writes topics and keeps stores.

    >>> import holdfast as hf
    >>> app = hf.App("word-count", tasks=4)
    >>> app.name
    'word-count'
    """

    def __init__(
        self,
        name: str,
        *,
        brokers: str | None = None,
        mode: Literal["exactly-once", "real-time", "drain"] = _DEFAULT["mode"],
        tasks: int = _DEFAULT["tasks"],
        trigger: str | timedelta = _DEFAULT["trigger"],
        real_time_epoch: str | timedelta = _DEFAULT["real_time_epoch"],
        max_records: int = _DEFAULT["max_records"],
        max_bytes: int = _DEFAULT["max_bytes"],
        state_dir: str = _DEFAULT["state_dir"],
        on_error: Literal["dead-letter", "fail"] = _DEFAULT["on_error"],
        auto_offset_reset: Literal["earliest", "latest"] | str | datetime | int = _DEFAULT["auto_offset_reset"],
        state_memory: str | int | None = None,
        stalled_after: str | timedelta = _DEFAULT["stalled_after"],
        fsync: bool = _DEFAULT["fsync"],
        telemetry: bool = _DEFAULT["telemetry"],
        kafka: Mapping[str, str] = options.NOTHING,
        spark: Mapping[str, str] = options.NOTHING,
        python: Mapping[str, object] = options.NOTHING,
    ) -> None:
        given = {
            "brokers": brokers,
            "mode": mode,
            "tasks": tasks,
            "trigger": trigger,
            "real_time_epoch": real_time_epoch,
            "max_records": max_records,
            "max_bytes": max_bytes,
            "state_dir": state_dir,
            "on_error": on_error,
            "auto_offset_reset": auto_offset_reset,
            "state_memory": state_memory,
            "stalled_after": stalled_after,
            "fsync": fsync,
            "telemetry": telemetry,
            "kafka": kafka,
            "spark": spark,
            "python": python,
        }
        self.file = _app_file()
        self.settings = options.load(name, given, self.file.parent if self.file else Path.cwd())
        super().__init__()
        self.graph = Graph(self.settings.name)
        apps[self.graph] = weakref.ref(self)
        self.handles: dict[str, StoreHandle[Any, Any]] = {}  # as `store` gives them
        # What handles read while the app is served, also those that are taken then.
        self.backend_of: Callable[[str], Backend[Any, Any]] | None = None
        self.dataframes: dict[str, Callable[[Any], object]] = {}  # of the Spark session
        self._asked: list[tuple[str, str]] = []

    @property
    def name(self) -> str:
        """The name of the app."""
        return self.settings.name

    @overload
    def stream(
        self,
        topic: str | Sequence[str],
        value: type[V],
        *,
        key: type[K],
        timestamp: object = None,
        timezone: str = "UTC",
        close_on_idle: str | timedelta | None = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Stream[K, V]: ...
    @overload
    def stream(
        self,
        topic: str | Sequence[str],
        value: type[V],
        *,
        timestamp: object = None,
        timezone: str = "UTC",
        close_on_idle: str | timedelta | None = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Stream[bytes, V]: ...
    @overload
    def stream(
        self,
        topic: str | Sequence[str],
        value: object,
        *,
        key: type[K],
        timestamp: object = None,
        timezone: str = "UTC",
        close_on_idle: str | timedelta | None = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Stream[K, Any]: ...  # DDL and serdes are no classes
    @overload
    def stream(
        self,
        topic: str | Sequence[str],
        value: object,
        *,
        key: object = bytes,
        timestamp: object = None,
        timezone: str = "UTC",
        close_on_idle: str | timedelta | None = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Stream[Any, Any]: ...  # DDL and serdes are no classes
    def stream(
        self,
        topic: str | Sequence[str],
        value: object,
        *,
        key: object = bytes,
        timestamp: object = None,
        timezone: str = "UTC",
        close_on_idle: str | timedelta | None = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Stream[object, object]:
        """Read a topic, or several, as a stream.

        With `close_on_idle` time advances from the last record, at the pace of the clock, if none came for so long.
        A record whose time is later than the clock by more than `max_ahead` is a dead letter and moves no time; with
        `None` any time may come.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "id BIGINT, at TIMESTAMP", key=str, timestamp="at")
        """
        topics = (topic,) if isinstance(topic, str) else tuple(topic)
        options = SourceOptions(value, key, max_ahead, timestamp, timezone, on_error, close_on_idle)
        return Stream(self.graph, source_node(self, "stream", topics, None, options))

    @overload
    def table(
        self,
        topic: str,
        value: type[V],
        *,
        key: type[K],
        store: StoreArg = None,
        timestamp: object = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Table[K, V]: ...
    @overload
    def table(
        self,
        topic: str,
        value: object,
        *,
        key: type[K],
        store: StoreArg = None,
        timestamp: object = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Table[K, Any]: ...  # DDL and serdes are no classes
    @overload
    def table(
        self,
        topic: str,
        value: object,
        *,
        key: object,
        store: StoreArg = None,
        timestamp: object = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Table[Any, Any]: ...  # DDL and serdes are no classes
    def table(
        self,
        topic: str,
        value: object,
        *,
        key: object,
        store: StoreArg = None,
        timestamp: object = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
        on_error: str | None = None,
    ) -> Table[object, object]:
        """Read a topic as a table: the latest value per key, null deletes.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> customers = app.table("customers", "name STRING", key=int, store="customers")
        """
        options = SourceOptions(value, key, max_ahead, timestamp, on_error=on_error)
        return Table(self.graph, source_node(self, "table", (topic,), store_options(store), options))

    @overload
    def global_table(
        self,
        topic: str,
        value: type[V],
        *,
        key: type[K],
        store: StoreArg = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
    ) -> GlobalTable[K, V]: ...
    @overload
    def global_table(
        self,
        topic: str,
        value: object,
        *,
        key: type[K],
        store: StoreArg = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
    ) -> GlobalTable[K, Any]: ...  # DDL and serdes are no classes
    @overload
    def global_table(
        self,
        topic: str,
        value: object,
        *,
        key: object,
        store: StoreArg = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
    ) -> GlobalTable[Any, Any]: ...  # DDL and serdes are no classes
    def global_table(
        self,
        topic: str,
        value: object,
        *,
        key: object,
        store: StoreArg = None,
        max_ahead: str | timedelta | None = MAX_AHEAD,
    ) -> GlobalTable[object, object]:
        """Read a topic as a table that every task has whole.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> countries = app.global_table("countries", "name STRING", key=str)
        """
        options = SourceOptions(value, key, max_ahead)
        return GlobalTable(self.graph, source_node(self, "global", (topic,), store_options(store), options))

    # The session is PySpark's, which only holdfast.spark imports, and its columns are known when it runs.
    def source(
        self, dataframe: Callable[[Any], object], *, key: object = None, timestamp: object = None
    ) -> Stream[Any, Any]:
        """A streaming DataFrame, made by a function of the Spark session, as a stream.

        >>> import holdfast as hf
        >>> app = hf.App("ticks")
        >>> ticks = app.source(lambda spark: spark.readStream.format("rate").load(), key="value", timestamp="timestamp")
        """
        if not callable(dataframe):
            raise TopologyError(f"source wants a function of the Spark session, {dataframe!r} came", at=user_position())
        node = self.graph.add(DataFrame, [], at=user_position(), **dataframe_fields(key, timestamp))
        self.dataframes[node.id] = dataframe
        return Stream(self.graph, node)

    @property
    def dead_letters(self) -> Stream[bytes, bytes]:
        """The records that could not be processed, as they came; one whose time was refused has that of the clock.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.dead_letters.print("lost")
        <Stream print-1>
        """
        return self.stream(dead_letter_topic(self.name), bytes)

    def store(self, name: str) -> StoreHandle[Any, Any]:  # the table may come later in the file
        """A read-only handle of a named store, bound when the app is served.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> counts = app.store("per-user")
        """
        check_name("store", name, TopologyError, at=user_position())
        self._asked.append((name, user_position()))
        if name not in self.handles:
            self.handles[name] = StoreHandle(name)
            if self.backend_of is not None:
                self.handles[name].bind(self.backend_of(name))
        return self.handles[name]

    @property
    def topology(self) -> Topology:
        """The program as a graph, checked as a whole.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").to("copies")
        >>> [node["id"] for node in app.topology.json()["nodes"]]
        ['orders', 'to:copies']
        """
        made = Topology(self.name, self.settings.tasks, self.settings.on_error, tuple(self.graph.nodes))
        check_topology(made, self._asked)
        return made

    def describe(self) -> str:
        """The topology as text.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").to("copies")
        >>> "copies" in app.describe()
        True
        """
        return self.topology.describe()

    def explain(self) -> str:
        """How the topology runs: stages, what is fused, which stores there are.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> counts = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> "per-user" in app.explain()
        True
        """
        return str(_upper("holdfast.plan.explain").explain(self.topology))

    def run(self) -> None:
        """Run until stopped; a no-op while the command line reads the file.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").to("copies")
        >>> if __name__ == "__main__":
        ...     app.run()
        """
        if not is_importing():
            _upper("holdfast.runtime").run(self)

    def start(
        self, spark: object = None, *, serve: bool = False, port: int | None = None, produce: bool = False
    ) -> Running:
        """Start and return at once, on a Spark session of your own if you have one; `hf.Running` stops it.

        With `serve` the stores are served in this process: its handles can be read, and `running.url` is for
        `hf.connect`. With `produce` the server writes records of clients.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> app.stream("orders", "id BIGINT").to("copies")
        >>> if __name__ == "__main__":
        ...     running = app.start()
        ...     running.wait("1 minute")
        ...     running.stop()
        """
        running: Running = _upper("holdfast.runtime").start(self, spark)
        if serve:
            _upper("holdfast.ops.in_process_server").serve(self, running, port, produce)
        return running

    def __repr__(self) -> str:
        return f"<App {self.name}>"

    def _repr_html_(self) -> str:
        try:
            return self.topology._repr_html_()
        except TopologyError as unfinished:
            return f"<pre>{html.escape(f'{self!r}: {unfinished}')}</pre>"


def _upper(module: str) -> ModuleType:
    """The layers above are loaded when they are needed: importing an app file stays light."""
    return importlib.import_module(module)


def _app_file() -> Path | None:
    frame = user_frame()
    path = Path(frame.f_code.co_filename).resolve() if frame else None
    return path if path and path.is_file() else None
