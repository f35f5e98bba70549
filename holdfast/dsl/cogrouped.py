"""Several groups on the way to one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from holdfast.dsl.aggregates import folded_state, merge_tree
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.lambdas import aggregate_scope, expression
from holdfast.dsl.materialized import StoreArg, store_options
from holdfast.dsl.python_folds import cogrouping, in_python
from holdfast.dsl.windowed_by import windowed_options, windowing_of
from holdfast.dsl.windows import CloseOn, ClosingWindow, RecordWindow, Window
from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.topics.windowed import Windowed
from holdfast.topology.cogroup import Cogroup, same_twice
from holdfast.topology.infer import E, Slots
from holdfast.topology.nodes import Node
from holdfast.topology.tables import retracts
from holdfast.topology.windowing import Windowing
from holdfast.types import DataType

if TYPE_CHECKING:
    from holdfast.dsl.table import Table

K = TypeVar("K", covariant=True)
S = TypeVar("S")
T = TypeVar("T")
K2 = TypeVar("K2")


class Cogrouped(Generic[K]):
    """Groups of several streams with the same key, each with the function that takes its values into the state."""

    def __init__(
        self, groups: tuple[Grouped[K, object], ...], adds: tuple[object, ...], windowing: Windowing | None = None
    ) -> None:
        self._groups = groups
        self._adds = adds
        self._windowing = windowing

    @overload
    def windowed_by(
        self, window: ClosingWindow, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Cogrouped[Windowed[K]]: ...
    @overload
    def windowed_by(
        self, window: RecordWindow, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Cogrouped[K]: ...
    @overload
    def windowed_by(
        self, window: Window, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Cogrouped[Any]: ...  # keys are in windows or not, as the window is
    def windowed_by(
        self, window: Window, *, late: str | None = None, close_on: CloseOn = "stream_time"
    ) -> Cogrouped[object]:
        """Cut the groups into windows, as `Grouped.windowed_by` does.

        >>> import holdfast as hf
        >>> app = hf.App("site")
        >>> clicks = app.stream("clicks", "page STRING", key=str).group_by_key()
        >>> orders = app.stream("orders", "total DOUBLE", key=str).group_by_key()
        >>> visits = hf.cogroup(
        ...     (clicks, lambda s, c: dict(s, clicks=s.clicks + 1)),
        ...     (orders, lambda s, o: dict(s, spent=s.spent + o.total)),
        ... ).windowed_by(hf.session("30 minutes"))
        >>> table = visits.aggregate(
        ...     dict(clicks=0, spent=0.0),
        ...     merge=lambda a, b: dict(clicks=a.clicks + b.clicks, spent=a.spent + b.spent),
        ...     store="visits",
        ... )
        """
        return Cogrouped(self._groups, self._adds, windowing_of(self, window, late, close_on))

    @overload
    def aggregate(self, initial: dict[str, T], *, merge: object = None, store: StoreArg = None) -> Table[K, Any]: ...
    @overload
    def aggregate(self, initial: Callable[[], S], *, merge: object = None, store: StoreArg = None) -> Table[K, S]: ...
    @overload
    def aggregate(self, initial: S, *, merge: object = None, store: StoreArg = None) -> Table[K, S]: ...
    def aggregate(self, initial: object, *, merge: object = None, store: StoreArg = None) -> Table[K, object]:
        """Fold the values of all groups into one state per key, which begins with `initial`.

        >>> import holdfast as hf
        >>> app = hf.App("shop")
        >>> carts = app.stream("carts", "user STRING, items BIGINT").group_by("user")
        >>> orders = app.stream("orders", "user STRING, total DOUBLE").group_by("user")
        >>> users = hf.cogroup(
        ...     (carts, lambda s, c: dict(s, items=s.items + c.items)),
        ...     (orders, lambda s, o: dict(s, spent=s.spent + o.total)),
        ... ).aggregate(dict(items=0, spent=0.0), store="users")
        """
        given = {**{f"group {number}": add for number, add in enumerate(self._adds, 1)}, "merge": merge}
        if in_python("cogroup", given):
            return self._table(store, **cogrouping(self._groups, initial, given))
        state = folded_state(initial, lambda type_: {**self._trees(type_), **merge_tree(merge, self._first, type_)})
        adds = tuple(tree for name, tree in state.functions.items() if name != "merge")
        return self._table(store, **state.fields(), adds=adds, merge=state.functions.get("merge"))

    @property
    def _first(self) -> Node:
        return self._groups[0].node

    def _trees(self, state: DataType) -> dict[str, tuple[E, Slots]]:
        """The functions of the groups over states of a type."""
        made = {}
        for number, (group, add) in enumerate(zip(self._groups, self._adds, strict=True), 1):
            scope, what = aggregate_scope(group.node, state), f"the add function of group {number}"
            made[what] = (expression(add, scope, what), scope.slots)
        return made

    def _table(self, store: StoreArg, **fields: object) -> Table[K, S]:
        from holdfast.dsl.table import Table

        first, *others = self._groups
        node = first.graph.add(
            Cogroup,
            [first.node, *(each.node for each in others)],
            at=user_position(),
            id=None,
            store=windowed_options(store_options(store), self._windowing),
            windowing=self._windowing,
            **fields,
        )
        return Table(first.graph, node)


def cogroup(*pairs: tuple[Grouped[K2, object], object]) -> Cogrouped[K2]:
    """Fold the groups of several streams into one table, without a join: pairs of a group and its add function.

    >>> import holdfast as hf
    >>> app = hf.App("bank")
    >>> into = app.stream("deposits", float, key=str).group_by_key()
    >>> out_of = app.stream("withdrawals", float, key=str).group_by_key()
    >>> balance = hf.cogroup((into, lambda s, v: s + v), (out_of, lambda s, v: s - v)).aggregate(0.0)
    """
    if not pairs:
        raise _refused("nothing to fold; give pairs: hf.cogroup((group, add), ...)")
    groups = tuple(_checked(number, pair) for number, pair in enumerate(pairs, 1))
    if any(each.graph is not groups[0].graph for each in groups):
        raise _refused("the groups belong to different apps; use streams of one app")
    if same_twice([each.node for each in groups]):
        raise _refused("a group is there twice; give each once, with one function that does both")
    return Cogrouped(groups, tuple(add for _, add in pairs))


def _checked(number: int, pair: tuple[Grouped[K2, object], object]) -> Grouped[K2, object]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise _refused(f"argument {number} is {pair!r}; give a pair: (group, lambda state, value: ...)")
    group = pair[0]
    if not isinstance(group, Grouped):
        raise _refused(f"argument {number} begins with {group!r}; group it first: stream.group_by_key()")
    if group._windowing is not None:
        raise _refused(f"argument {number} has a window; give the window to all: hf.cogroup(...).windowed_by(...)")
    if retracts(group.node):
        raise _refused(
            f"argument {number} is a group of a table, whose values change; use table.to_stream().group_by(...)"
        )
    return group


def _refused(message: str) -> TopologyError:
    return TopologyError(f"cogroup: {message}", at=user_position())
