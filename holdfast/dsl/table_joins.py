"""Joins of a table with a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from holdfast.dsl.columns import Expression, PySparkColumn
from holdfast.dsl.handle import Handle
from holdfast.dsl.lambdas import expression, joiner_scope, record_scope
from holdfast.dsl.materialized import StoreArg, view_options
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.python_joins import joined_table, sides
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.graph import StoreOptions
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source
from holdfast.topology.table_joins import ForeignKeyJoin, TableJoin

if TYPE_CHECKING:
    from holdfast.dsl.table import GlobalTable, Table

K = TypeVar("K")
V = TypeVar("V")
V2 = TypeVar("V2")
R = TypeVar("R")


class TableJoining(Handle, Generic[K, V]):
    """The joins of a table."""

    def _table(self, node: Node) -> Table[Any, Any]:
        raise NotImplementedError

    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], dict[str, Any]] | Callable[[K, V, V2], dict[str, Any]],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], R],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, R]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[K, V, V2], R],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, R]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Expression | PySparkColumn | None = None,
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...
    def join(self, other: object, joiner: object = None, *, on: object = None, store: StoreArg = None) -> Table[K, Any]:
        """The entries that have a match in the other table: of the same key, or the entry that `on` refers to.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.table("orders", "customer BIGINT, amount INT", key=str)
        >>> payments = app.table("payments", "paid BOOLEAN", key=str)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> settled = orders.join(payments).join(customers, on=lambda o: o.customer, store="settled")
        """
        return self._joined("inner", other, joiner, on, store)

    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], dict[str, Any]] | Callable[[K, V, V2], dict[str, Any]],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], R],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[K, V, V2], R],
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Expression | PySparkColumn | None = None,
        *,
        on: object = None,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...
    def left_join(
        self, other: object, joiner: object = None, *, on: object = None, store: StoreArg = None
    ) -> Table[K, Any]:
        """Like `join`, but an entry without a match is there with nulls on the right.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("shop")
        >>> orders = app.table("orders", "customer BIGINT, amount INT", key=str)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> named = orders.left_join(
        ...     customers, lambda o, c: dict(o, name=F.coalesce(c.name, F.lit("unknown"))), on="customer"
        ... )
        """
        return self._joined("left", other, joiner, on, store)

    @overload
    def outer_join(
        self,
        other: Table[Any, V2],
        joiner: Callable[[V, V2], dict[str, Any]] | Callable[[K, V, V2], dict[str, Any]],
        *,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...
    @overload
    def outer_join(
        self, other: Table[Any, V2], joiner: Callable[[V, V2], R], *, store: StoreArg = None
    ) -> Table[K, R]: ...
    @overload
    def outer_join(
        self, other: Table[Any, V2], joiner: Callable[[K, V, V2], R], *, store: StoreArg = None
    ) -> Table[K, R]: ...
    @overload
    def outer_join(
        self, other: Table[Any, V2], joiner: Expression | PySparkColumn | None = None, *, store: StoreArg = None
    ) -> Table[K, Any]: ...
    def outer_join(self, other: Any, joiner: Any = None, *, store: StoreArg = None) -> Table[K, Any]:
        """The entries of either table; the side that has none is null.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> ordered = app.table("ordered", "pieces INT", key=str)
        >>> returned = app.table("returned", "sent_back INT", key=str)
        >>> moves = ordered.outer_join(returned, store="moves")
        """
        if _is_global(other):
            raise TopologyError(
                f"outer_join wants a table, the global table '{other.node.title}' came; "
                "use join or left_join, or read the topic with app.table(...)",
                at=user_position(),
            )
        return self._joined("outer", other, joiner, None, store)

    def _joined(self, how: str, other: Any, joiner: Any, on: Any, store: StoreArg) -> Table[K, Any]:
        if not isinstance(joiner, PythonFunction):
            return self._table(self._node(how, other, joiner, on, view_options(store)))
        kept = view_options(store)
        # Who wants every update of the result needs every update of what it is made of.
        under = StoreOptions(emit="every") if kept and kept.emit == "every" else None
        both = self._table(self._node(how, other, sides, on, under))
        return self._table(joined_table(both, joiner, self, other, kept))

    def _node(self, how: str, other: object, joiner: object, on: object, store: StoreOptions | None) -> Node:
        right = _other_table(other)
        fields = {
            "how": how,
            "kind": "global" if _is_global(other) else "table",
            "joiner": None if joiner is None else expression(joiner, joiner_scope(self.node, right), "the joiner"),
        }
        if on is None:
            return self._add(TableJoin, right, store=store, **fields)
        by = expression(on, record_scope(self.node), "on=")
        return self._add(ForeignKeyJoin, right, store=store or StoreOptions(), on=by, **fields)


def _is_global(other: object) -> bool:
    return isinstance(other, Handle) and isinstance(other.node, Source) and other.node.kind == "global"


def _other_table(other: object) -> Node:
    if not isinstance(other, Handle):
        raise TopologyError(
            f"join wants a table or a global table, {other!r} came; use app.table(...)", at=user_position()
        )
    if not other.node.is_table:
        raise TopologyError(
            "a table is joined with a table, a stream came; use to_table() on it, or join the stream with the table",
            at=user_position(),
        )
    return other.node
