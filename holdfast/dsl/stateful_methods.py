"""The stateful operations of a stream, and those that begin one: groups, tables, deduplication, patterns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar, overload

from holdfast.dsl.columns import Operand, RecordFunction
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.keys import key_expression
from holdfast.dsl.lambdas import expression, record_scope
from holdfast.dsl.materialized import StoreArg, state_options, store_options
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.record_methods import RecordMethods
from holdfast.topology import tables
from holdfast.topology.deduplicate import Deduplicate
from holdfast.units.duration import milliseconds

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream
    from holdfast.dsl.table import Table

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
T = TypeVar("T")


class StatefulMethods(RecordMethods[K, V]):
    """The methods of a stream that make groups, tables and other state."""

    def to_table(self, *, store: StoreArg = None) -> Table[K, V]:
        """The latest value per key; null deletes.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> latest = app.stream("prices", "price DOUBLE", key=str).to_table(store="prices")
        """
        from holdfast.dsl.table import Table

        return Table(self.graph, self._add(tables.ToTable, store=store_options(store)))

    def deduplicate(
        self,
        by: RecordFunction[K, V],
        *,
        within: str | timedelta,
        store: str | None = None,
    ) -> Stream[K, V]:
        """Keep the first of the records of a key with the same `by`; those at most `within` from it are dropped.

        Time is event time: a record that comes out of order is compared as well. A record whose `by` is null passes.
        Records without a key are compared within their source partition. `store` names the state.

        >>> import holdfast as hf
        >>> app = hf.App("payments")
        >>> payments = app.stream("payments", "id STRING, amount DOUBLE", key=str)
        >>> once = payments.deduplicate("id", within="10 minutes")
        """
        tree = expression(by, record_scope(self.node), "by=")
        span = milliseconds(within, "deduplicate: within=")
        return self._stream(self._add(Deduplicate, by=tree, within=span, store=state_options(store, "deduplicate")))

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
        """Group the records by a new key; several expressions make a record key.

        >>> import holdfast as hf
        >>> app = hf.App("words")
        >>> counts = app.stream("words", str).group_by(lambda word: word).count(store="counts")
        """
        if len(key) == 1 and isinstance(key[0], PythonFunction):
            return self.select_key(key[0]).group_by_key()
        tree = key_expression(key, record_scope(self.node), "group_by")
        return Grouped(self.graph, self._add(tables.GroupBy, key=tree))

    def group_by_key(self) -> Grouped[K, V]:
        """Group the records by the key they have.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> counts = app.stream("clicks", str, key=str).group_by_key().count()
        """
        return Grouped(self.graph, self._add(tables.GroupByKey))
