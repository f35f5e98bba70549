"""Groups of records with the same key, on the way to a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from holdfast.dsl.aggregates import check_aggregate, folded_state, merge_tree
from holdfast.dsl.columns import Operand, RecordFunction
from holdfast.dsl.handle import Handle
from holdfast.dsl.lambdas import Scope, aggregate_scope, expression, record_scope, reduce_scope
from holdfast.dsl.materialized import StoreArg, state_options, store_options
from holdfast.dsl.patterns import Pattern, bound_steps
from holdfast.dsl.python_folds import aggregating, in_python, reducing
from holdfast.dsl.windowed_by import windowed_options, windowing_of
from holdfast.dsl.windows import CloseOn, ClosingWindow, RecordWindow, Window
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topics.windowed import Windowed
from holdfast.topology import tables
from holdfast.topology.graph import Graph
from holdfast.topology.infer import E, Slots
from holdfast.topology.nodes import Node
from holdfast.topology.patterns import Match
from holdfast.topology.tables import retracts
from holdfast.topology.windowing import Windowing
from holdfast.types import DataType
from holdfast.units.duration import milliseconds

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream
    from holdfast.dsl.table import Table

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
S = TypeVar("S")
T = TypeVar("T")
V2 = TypeVar("V2")


class Grouped(Handle, Generic[K, V]):
    """Records grouped by key."""

    def __init__(self, graph: Graph, node: Node, windowing: Windowing | None = None) -> None:
        super().__init__(graph, node)
        self._windowing = windowing

    @overload
    def windowed_by(
        self, window: ClosingWindow, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Grouped[Windowed[K], V]: ...
    @overload
    def windowed_by(
        self, window: RecordWindow, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Grouped[K, V]: ...
    @overload
    def windowed_by(
        self, window: Window, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Grouped[Any, V]: ...  # keys are in windows or not, as the window is
    def windowed_by(
        self, window: Window, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Grouped[object, V]:
        """Cut the group into windows: each aggregate has then a result per key and window.

        Records that come after their window has closed go to the topic `late`; without one they are counted.
        Stream time, that of the records that come here, closes windows; with `close_on="watermark"` the time that the
        sources have reached does, also when no record comes here.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> clicks = app.stream("clicks", "page STRING", key=str)
        >>> per_hour = clicks.group_by_key().windowed_by(hf.tumbling("1 hour", grace="1 minute"), late="late-clicks")
        >>> per_hour.count(store="clicks-per-hour").to("counts")
        """
        return Grouped(self.graph, self.node, windowing_of(self, window, late, close_on))

    def count(self, *, store: StoreArg = None) -> Table[K, int]:
        """How many records each key has.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> clicks = app.stream("clicks", "page STRING", key=str)
        >>> counts = clicks.group_by_key().count(store="clicks-by-user")
        """
        return self._table(tables.Count, store)

    def agg(self, fields: Mapping[str, object] = {}, /, *, store: StoreArg = None, **more: object) -> Table[K, Any]:
        """Any of Spark's aggregate functions, each under the name of a field.

        >>> import holdfast as hf
        >>> from holdfast import functions as F
        >>> app = hf.App("stocks")
        >>> trades = app.stream("trades", "price DOUBLE", key=str)
        >>> stats = trades.group_by_key().agg(low=F.min("price"), n=F.count("*"), store="stats")
        """
        if not isinstance(fields, Mapping):
            raise TopologyError("agg: each result has a name: agg(total=F.sum(...))", at=user_position())
        scope = record_scope(self.node)
        trees = []
        for name, given in {**fields, **more}.items():
            tree = expression(given, scope, f"agg field {name!r}", aggregates=True)
            check_aggregate(name, tree)
            trees.append((name, tree))
        return self._table(tables.Agg, store, fields=tuple(trees))

    def reduce(
        self,
        f: Callable[[V, V], object] | Callable[[K, V, V], object] | Operand,
        *,
        subtract: object = None,
        store: StoreArg = None,
    ) -> Table[K, V]:
        """Fold each value into the one so far; the first is taken as it is.

        In a group of a table `subtract` retracts a value; without it the rows of the group are stored and folded again.

        >>> import holdfast as hf
        >>> app = hf.App("bank")
        >>> totals = app.stream("amounts", float, key=str).group_by_key().reduce(lambda old, new: old + new)
        """
        if in_python("reduce", {"f": f, "subtract": subtract}):
            return self._table(tables.Reduce, store, **reducing(self, {"f": f, "subtract": subtract}))
        scope = reduce_scope(self.node)
        tree = expression(f, scope, "the function of reduce")
        return self._table(tables.Reduce, store, f=tree, subtract=self._undo("reduce", subtract, scope))

    @overload
    def aggregate(
        self,
        initial: dict[str, T],
        add: Callable[..., object],
        *,
        merge: object = None,
        subtract: object = None,
        store: StoreArg = None,
    ) -> Table[K, Any]: ...  # a record without a class
    @overload
    def aggregate(
        self,
        initial: Callable[[], S],
        add: Callable[[S, V], object] | Callable[[K, S, V], object],
        *,
        merge: object = None,
        subtract: object = None,
        store: StoreArg = None,
    ) -> Table[K, S]: ...
    @overload
    def aggregate(
        self,
        initial: S,
        add: Callable[[S, V], object] | Callable[[K, S, V], object],
        *,
        merge: object = None,
        subtract: object = None,
        store: StoreArg = None,
    ) -> Table[K, S]: ...
    def aggregate(
        self,
        initial: object,
        add: Callable[..., object],
        *,
        merge: object = None,
        subtract: object = None,
        store: StoreArg = None,
    ) -> Table[K, object]:
        """Fold each value into a state that begins with `initial`.

        Sessions grow together: there `merge` says what two states become. In a group of a table `subtract` retracts a
        value; without it the rows of the group are stored and folded again.

        >>> import holdfast as hf
        >>> app = hf.App("bank")
        >>> amounts = app.stream("amounts", float, key=str)
        >>> sums = amounts.group_by_key().aggregate(dict(n=0, sum=0.0), lambda s, v: dict(n=s.n + 1, sum=s.sum + v))
        """
        given = {"add": add, "merge": merge, "subtract": subtract}
        if in_python("aggregate", given):
            return self._table(tables.Aggregate, store, **aggregating(self, initial, given))

        def functions(state: DataType) -> dict[str, tuple[E, Slots]]:
            scope = aggregate_scope(self.node, state)
            undo = self._undo("aggregate", subtract, scope)
            return {
                "add": (expression(add, scope, "the add function of aggregate"), scope.slots),
                **merge_tree(merge, self.node, state),
                **({} if undo is None else {"subtract": (undo, scope.slots)}),
            }

        state = folded_state(initial, functions)
        return self._table(tables.Aggregate, store, **state.fields(), **state.functions)

    def top(
        self,
        n: int,
        by: RecordFunction[K, V],
        *,
        distinct: object = None,
        store: StoreArg = None,
    ) -> Table[K, list[V]]:
        """The `n` records with the highest `by`, highest first; of equal ones the earlier first, null last.

        >>> import holdfast as hf
        >>> app = hf.App("games")
        >>> scores = app.stream("scores", "game BIGINT, player BIGINT, score BIGINT")
        >>> best = scores.group_by("game").top(3, by="score", distinct="player", store="best")
        """
        scope = record_scope(self.node)
        order = expression(by, scope, "by=")
        apart = None if distinct is None else expression(distinct, scope, "distinct=")
        return self._table(tables.Top, store, n=n, by=order, distinct=apart)

    def match(self, pattern: Pattern, *, within: str | timedelta, store: str | None = None) -> Stream[K, Any]:
        """The records of a key that take the steps of a pattern, from the first to the last in at most `within`.

        `store` names the state of open matches, which then survives changes of what comes before.

        >>> import holdfast as hf
        >>> app = hf.App("bank")
        >>> payments = app.stream("payments", "amount DOUBLE", key=str)
        >>> drained = hf.sequence(probe=lambda p: p.amount < 1, drain=lambda p, *, probe: p.amount > 100 * probe.amount)
        >>> payments.group_by_key().match(drained, within="10 minutes").to("alerts")
        """
        from holdfast.dsl.stream import Stream

        if retracts(self.node):
            raise TopologyError("match: a table came, whose rows have no order; match the stream", at=user_position())
        if self._windowing is not None:
            raise TopologyError(
                "match: a windowed group came; match the group itself, within= says for how long", at=user_position()
            )
        node = self._add(
            Match,
            store=state_options(store, "match"),
            steps=bound_steps(pattern, self.node),
            within=milliseconds(within, "within"),
            strict=pattern.strict,
            overlap=pattern.overlap,
        )
        return Stream(self.graph, node)

    def _undo(self, method: str, subtract: object, scope: Scope) -> E | None:
        """The function that retracts a value; only rows of a table are retracted."""
        if subtract is None:
            return None
        if not retracts(self.node):
            raise TopologyError(
                f"{method}: subtract= is for groups of a table; the records of a stream stay", at=user_position()
            )
        return expression(subtract, scope, f"the subtract function of {method}")

    def _table(self, cls: type[Node], store: StoreArg, **fields: object) -> Table[K, V2]:
        from holdfast.dsl.table import Table

        options = windowed_options(store_options(store), self._windowing)
        return Table(self.graph, self._add(cls, id=None, store=options, windowing=self._windowing, **fields))
