"""Joins of a table with a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from holdfast.dsl.handle import Handle, Records
from holdfast.dsl.join_signatures import table_join
from holdfast.dsl.lambdas import expression, joiner_scope, record_scope
from holdfast.dsl.materialized import StoreArg, view_options
from holdfast.dsl.python_functions import PythonFunction
from holdfast.dsl.python_joins import joined_table, sides
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topology.graph import StoreOptions
from holdfast.topology.infer import E
from holdfast.topology.nodes import Node
from holdfast.topology.table_joins import ForeignKeyJoin, TableJoin

if TYPE_CHECKING:
    from holdfast.dsl.table import Table

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class JoinFields(TypedDict):
    """The fields of a join of tables."""

    how: str
    kind: str
    joiner: E | None


class TableJoining(Records[K, V]):
    """The joins of a table."""

    def _table(self, node: Node) -> Table[K2, V2]:
        """The table of a node's entries; the method that adds the node knows their types."""
        from holdfast.dsl.table import Table

        return Table(self.graph, node)

    @table_join
    def join(
        self, other: object, joiner: object = None, *, on: object = None, store: StoreArg = None
    ) -> Table[K, object]:
        """The entries that have a match in the other table: of the same key, or the entry that `on` refers to.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> orders = app.table("orders", "customer BIGINT, amount INT", key=str)
        >>> payments = app.table("payments", "paid BOOLEAN", key=str)
        >>> customers = app.table("customers", "name STRING", key=int)
        >>> settled = orders.join(payments).join(customers, on=lambda o: o.customer, store="settled")
        """
        return self._joined("inner", other, joiner, on, store)

    @table_join
    def left_join(
        self, other: object, joiner: object = None, *, on: object = None, store: StoreArg = None
    ) -> Table[K, object]:
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

    @table_join
    def outer_join(self, other: object, joiner: object = None, *, store: StoreArg = None) -> Table[K, object]:
        """The entries of either table; the side that has none is null.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> ordered = app.table("ordered", "pieces INT", key=str)
        >>> returned = app.table("returned", "sent_back INT", key=str)
        >>> moves = ordered.outer_join(returned, store="moves")
        """
        right = _table_side(other).node
        if right.is_global_table:
            raise TopologyError(
                f"outer_join wants a table, the global table '{right.title}' came; "
                "use join or left_join, or read the topic with app.table(...)",
                at=user_position(),
            )
        return self._joined("outer", other, joiner, None, store)

    def _joined(self, how: str, other: object, joiner: object, on: object, store: StoreArg) -> Table[K, object]:
        right, options = _table_side(other), view_options(store)
        if not isinstance(joiner, PythonFunction):
            return self._table(self._join_node(how, right.node, joiner, on, options))
        # Who wants every update of the result needs every update of what it is made of.
        under = StoreOptions(emit="every") if options and options.emit == "every" else None
        both = Handle(self.graph, self._join_node(how, right.node, sides, on, under))
        return self._table(joined_table(both, joiner, self, right, options))

    def _join_node(self, how: str, right: Node, joiner: object, on: object, store: StoreOptions | None) -> Node:
        tree = None if joiner is None else expression(joiner, joiner_scope(self.node, right), "the joiner")
        fields: JoinFields = {"how": how, "kind": "global" if right.is_global_table else "table", "joiner": tree}
        if on is None:
            return self._add(TableJoin, right, store=store, **fields)
        by = expression(on, record_scope(self.node), "on=")
        return self._add(ForeignKeyJoin, right, store=store or StoreOptions(), on=by, **fields)


def _table_side(other: object) -> Handle:
    """The other table of a join."""
    if not isinstance(other, Handle):
        raise TopologyError(
            f"join wants a table or a global table, {other!r} came; use app.table(...)", at=user_position()
        )
    if not other.node.is_table:
        raise TopologyError(
            "a table is joined with a table, a stream came; use to_table() on it, or join the stream with the table",
            at=user_position(),
        )
    return other
