"""Joins of a stream with a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from holdfast.dsl.calling import expression, joiner_scope, record_scope
from holdfast.dsl.columns import Expression, PySparkColumn
from holdfast.dsl.handle import Handle
from holdfast.dsl.position import user_position
from holdfast.errors import NotAvailable, TopologyError
from holdfast.topology.joins import Join
from holdfast.topology.nodes import Node
from holdfast.topology.sources import Source

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream
    from holdfast.dsl.table import GlobalTable, Table

K = TypeVar("K")
V = TypeVar("V")
V2 = TypeVar("V2")
R = TypeVar("R")


class Joining(Handle, Generic[K, V]):
    """The joins of a stream."""

    def _stream(self, cls: Any, *others: Any, **fields: Any) -> Stream[Any, Any]:
        raise NotImplementedError

    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], dict[str, Any]] | Callable[[K, V, V2], dict[str, Any]],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], R],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[K, V, V2], R],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Expression | PySparkColumn | None = None,
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]: ...
    def join(
        self,
        other: Any,
        joiner: Any = None,
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]:
        """Join each record with the value a table has for its key, or a global table for `on`; others are dropped.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "item BIGINT, amount INT", key=int)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> items = app.global_table("items", "title STRING", key=int)
        >>> named = orders.join(customers).join(items, lambda o, i: dict(o, title=i.title), on="item")
        """
        return self._join(False, other, joiner, on, {"within": within, "grace": grace, "late": late})

    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], dict[str, Any]] | Callable[[K, V, V2], dict[str, Any]],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[V, V2], R],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Callable[[K, V, V2], R],
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, R]: ...
    @overload
    def left_join(
        self,
        other: Table[Any, V2] | GlobalTable[Any, V2],
        joiner: Expression | PySparkColumn | None = None,
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]: ...
    def left_join(
        self,
        other: Any,
        joiner: Any = None,
        *,
        within: Any = None,
        on: Any = None,
        grace: Any = None,
        late: str | None = None,
    ) -> Stream[K, Any]:
        """Like `join`, but a record without a match goes on with nulls on the right.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("shop")
        >>> orders = app.stream("orders", "amount INT", key=int)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> named = orders.left_join(customers, lambda o, c: dict(o, name=F.coalesce(c.name, F.lit("unknown"))))
        """
        return self._join(True, other, joiner, on, {"within": within, "grace": grace, "late": late})

    def _join(self, left: bool, other: Any, joiner: Any, on: Any, windows: dict[str, Any]) -> Stream[K, Any]:
        fields = join_fields(self.node, other, joiner, on, windows)
        return self._stream(Join, other.node, left=left, **fields)


def join_fields(stream: Node, other: Any, joiner: Any, on: Any, windows: dict[str, Any]) -> dict[str, Any]:
    """The fields of a join node."""
    table = _table(other, windows)
    is_global = isinstance(table, Source) and table.kind == "global"
    if on is not None and not is_global:
        raise TopologyError(
            f"join with table '{table.title}': on= is for global tables; use select_key(...) before the join",
            at=user_position(),
        )
    return {
        "kind": "global" if is_global else "table",
        "on": None if on is None else expression(on, record_scope(stream), "on="),
        "joiner": None if joiner is None else expression(joiner, joiner_scope(stream, table), "the joiner"),
    }


def _table(other: Any, windows: dict[str, Any]) -> Node:
    at = user_position()
    if isinstance(other, Handle) and not other.node.is_table:
        raise NotAvailable("joining a stream with a stream is not available yet; join with a table: to_table()", at=at)
    given = next((name for name, value in windows.items() if value is not None), None)
    if given:
        raise TopologyError(f"{given}= is for joining two streams; a table needs none", at=at)
    if not isinstance(other, Handle):
        raise TopologyError(f"join wants a table or a global table, {other!r} came; use app.table(...)", at=at)
    return other.node
