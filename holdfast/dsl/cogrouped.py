"""Several groups on the way to one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from holdfast.dsl.aggregates import initial_state
from holdfast.dsl.calling import aggregate_scope, expression, merge_scope
from holdfast.dsl.grouped import Grouped
from holdfast.dsl.materialized import StoreArg, store_options
from holdfast.dsl.position import user_position
from holdfast.errors import TopologyError
from holdfast.topology.cogroup import Cogroup, same_twice
from holdfast.topology.stateful import GroupBy, GroupByKey

if TYPE_CHECKING:
    from holdfast.dsl.table import Table

K = TypeVar("K")
S = TypeVar("S")


class Cogrouped(Generic[K]):
    """Groups of several streams with the same key, each with the function that takes its values into the state."""

    def __init__(self, groups: tuple[Grouped[K, Any], ...], adds: tuple[Any, ...]) -> None:
        self.groups = groups
        self.adds = adds

    def aggregate(self, initial: S, *, merge: Any = None, store: StoreArg = None) -> Table[K, S]:
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
        from holdfast.dsl.table import Table

        begin, state = initial_state(initial)
        adds = [
            expression(add, aggregate_scope(group.node, state), f"the add function of group {number}")
            for number, (group, add) in enumerate(zip(self.groups, self.adds, strict=True), 1)
        ]
        first, *others = self.groups
        node = first.graph.add(
            Cogroup,
            [first.node, *(each.node for each in others)],
            at=user_position(),
            store=store_options(store),
            initial=begin,
            state=state,
            adds=tuple(adds),
            merge=None if merge is None else expression(merge, merge_scope(first.node, state), "merge="),
        )
        return Table(first.graph, node)


def cogroup(*pairs: tuple[Grouped[K, Any], Any]) -> Cogrouped[K]:
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


def _checked(number: int, pair: Any) -> Grouped[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise _refused(f"argument {number} is {pair!r}; give a pair: (group, lambda state, value: ...)")
    group = pair[0]
    if not isinstance(group, Grouped):
        raise _refused(f"argument {number} begins with {group!r}; group it first: stream.group_by_key()")
    if not isinstance(group.node, (GroupBy, GroupByKey)):
        raise _refused(
            f"argument {number} is a group of a table, whose values change; use table.to_stream().group_by(...)"
        )
    return group


def _refused(message: str) -> TopologyError:
    return TopologyError(f"cogroup: {message}", at=user_position())
