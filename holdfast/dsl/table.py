"""Tables: the latest value per key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from holdfast.dsl.columns import Operand, RecordFunction
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.handle import Records
from holdfast.dsl.keys import key_expression
from holdfast.dsl.lambdas import expression, record_scope
from holdfast.dsl.materialized import StoreArg, state_options, view_options
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.python_joins import filtered_table, mapped_table
from holdfast.dsl.sinks import sink_fields
from holdfast.dsl.stream import Stream
from holdfast.dsl.suppress import TimeLimit, WindowCloses, suppress_fields
from holdfast.dsl.table_joins import TableJoining
from holdfast.topology import stateless, tables
from holdfast.topology.suppress import Suppress

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")
T = TypeVar("T")


class Table(TableJoining[K, V]):
    """The latest value per key; null deletes."""

    def filter(self, predicate: RecordFunction[K, V], *, store: StoreArg = None) -> Table[K, V]:
        """The entries for which `predicate` is true; an entry that stops fitting is deleted.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> stock = app.table("stock", "pieces INT", key=str)
        >>> scarce = stock.filter(lambda s: s.pieces < 10)
        """
        if isinstance(predicate, PythonFunction):
            return Table(self.graph, filtered_table(self, predicate, view_options(store), wanted=True))
        tree = expression(predicate, record_scope(self.node), "the predicate of filter")
        return Table(self.graph, self._add(tables.TableFilter, store=view_options(store), predicate=tree))

    def filter_not(self, predicate: RecordFunction[K, V], *, store: StoreArg = None) -> Table[K, V]:
        """Exactly the entries that `filter` leaves out.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> stock = app.table("stock", "pieces INT", key=str)
        >>> ample = stock.filter_not(lambda s: s.pieces < 10)
        """
        if isinstance(predicate, PythonFunction):
            return Table(self.graph, filtered_table(self, predicate, view_options(store), wanted=False))
        tree = expression(predicate, record_scope(self.node), "the predicate of filter_not")
        true = {"call": "coalesce", "args": [tree, {"lit": False}]}
        tree = {"call": "not", "args": [true]}
        return Table(self.graph, self._add(tables.TableFilter, store=view_options(store), predicate=tree))

    @overload
    def map_values(self, f: Callable[[V], V2], *, store: StoreArg = None) -> Table[K, V2]: ...
    @overload
    def map_values(self, f: Callable[[K, V], V2], *, store: StoreArg = None) -> Table[K, V2]: ...
    @overload
    def map_values(
        self, f: Operand | Callable[[V], dict[str, T]] | Callable[[K, V], dict[str, T]], *, store: StoreArg = None
    ) -> Table[K, Any]: ...  # a record without a class, or what only Spark knows
    def map_values(self, f: object, *, store: StoreArg = None) -> Table[K, object]:
        """The same entries with new values; materialized only if it has a store.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> stock = app.table("stock", "pieces INT, price DOUBLE", key=str)
        >>> worth = stock.map_values(lambda s: s.pieces * s.price, store="worth")
        """
        if isinstance(f, PythonFunction):
            return Table(self.graph, mapped_table(self, f, view_options(store)))
        tree = expression(f, record_scope(self.node), "the function of map_values")
        return Table(self.graph, self._add(tables.TableMapValues, store=view_options(store), value=tree))

    @overload
    def group_by(self, key: Callable[[V], K2], /) -> Grouped[K2, V]: ...
    @overload
    def group_by(self, key: Callable[[K, V], K2], /) -> Grouped[K2, V]: ...
    # What an expression or several keys make has no class.
    @overload
    def group_by(self, key: Operand, /, *more: object) -> Grouped[Any, V]: ...
    @overload
    def group_by(self, key: Callable[[V], object], second: object, /, *more: object) -> Grouped[Any, V]: ...
    def group_by(self, *key: object) -> Grouped[object, V]:
        """Group the rows by a new key; a row that changes or is deleted is retracted from the group it was in.

        >>> import holdfast as hf
        >>> app = hf.App("people")
        >>> people = app.table("people", "name STRING, city STRING", key=int)
        >>> inhabitants = people.group_by(lambda p: p.city).count(store="inhabitants")
        """
        tree = key_expression(key, record_scope(self.node), "group_by")
        return Grouped(self.graph, self._add(tables.TableGroupBy, key=tree))

    def suppress(self, until: WindowCloses | TimeLimit, *, store: str | None = None) -> Table[K, V]:
        """The same table, which emits an update only when its window has closed or a time has passed.

        `store` names the state of the buffered updates.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> clicks = app.stream("clicks", "page STRING", key=str)
        >>> counts = clicks.group_by_key().windowed_by(hf.tumbling("1 hour")).count()
        >>> final = counts.suppress(hf.until_window_closes(max_records=100_000))
        """
        fields = suppress_fields(self.node, until)
        return Table(self.graph, self._add(Suppress, store=state_options(store, "suppress"), **fields))

    def to_stream(self) -> Stream[K, V]:
        """The changes of the table; a delete is a null value.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> changes = app.table("stock", "pieces INT", key=str).to_stream()
        """
        return Stream(self.graph, self._add(tables.ToStream))

    def to(
        self,
        topic: RecordFunction[K, V],
        *,
        key: object = None,
        value: object = None,
    ) -> None:
        """Write the changes of the table to a topic; a delete is a tombstone.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> app.stream("clicks", str, key=str).group_by_key().count().to("counts", value=hf.int64())
        """
        if isinstance(topic, PythonFunction):
            self.to_stream().to(topic, key=key, value=value)
            return
        self._add(stateless.To, **sink_fields(record_scope(self.node), topic, key, value, None))


class GlobalTable(Records[K, V]):
    """A table that every task has whole: join it by any expression.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> items = app.global_table("items", "title STRING", key=int)
    >>> named = app.stream("orders", "item BIGINT").join(items, on="item")
    """
