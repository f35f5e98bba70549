"""The signatures of joins, once for all of them: what the joiner makes is what the result holds.

A type checker takes the first that fits. The last one has two forms of joiners, so that their parameters are not looked
at: a joiner may copy a record with `dict(record, more=...)`, although a dataclass is no mapping.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload

from holdfast.dsl.columns import Expression, PySparkColumn

if TYPE_CHECKING:
    from holdfast.dsl.stream import Stream
    from holdfast.dsl.table import GlobalTable, Table

K = TypeVar("K", covariant=True)
V = TypeVar("V", covariant=True)
K2 = TypeVar("K2")
V2 = TypeVar("V2")
R = TypeVar("R")
T = TypeVar("T")
P = ParamSpec("P")

Column = Expression | PySparkColumn

if TYPE_CHECKING:
    AnyTable: TypeAlias = Table[object, V2] | GlobalTable[object, V2]
    Joinable: TypeAlias = Stream[object, V2] | AnyTable[V2]


class StreamJoin(Protocol[K, V, P]):
    """A join of a stream, with options of its own."""

    @overload
    def __call__(
        self, other: Joinable[V2], joiner: Callable[[V, V2], R], *options: P.args, **named: P.kwargs
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self, other: Joinable[V2], joiner: Callable[[K, V, V2], R], *options: P.args, **named: P.kwargs
    ) -> Stream[K, R]: ...
    @overload
    def __call__(
        self,
        other: Joinable[V2],
        joiner: Callable[[V, V2], dict[str, T]] | Callable[[K, V, V2], dict[str, T]] | Column | None = None,
        *options: P.args,
        **named: P.kwargs,
    ) -> Stream[K, Any]: ...  # a record without a class


class TableJoin(Protocol[K, V, P]):
    """A join of a table, with options of its own."""

    @overload
    def __call__(
        self, other: AnyTable[V2], joiner: Callable[[V, V2], R], *options: P.args, **named: P.kwargs
    ) -> Table[K, R]: ...
    @overload
    def __call__(
        self, other: AnyTable[V2], joiner: Callable[[K, V, V2], R], *options: P.args, **named: P.kwargs
    ) -> Table[K, R]: ...
    @overload
    def __call__(
        self,
        other: AnyTable[V2],
        joiner: Callable[[V, V2], dict[str, T]] | Callable[[K, V, V2], dict[str, T]] | Column | None = None,
        *options: P.args,
        **named: P.kwargs,
    ) -> Table[K, Any]: ...  # a record without a class


def stream_join(
    method: Callable[Concatenate[Stream[K2, V2], object, object, P], object],
) -> StreamJoin[K2, V2, P]:
    """The method itself; a type checker sees the signatures of a join of a stream."""
    return cast("StreamJoin[K2, V2, P]", method)


def table_join(
    method: Callable[Concatenate[Table[K2, V2], object, object, P], object],
) -> TableJoin[K2, V2, P]:
    """The method itself; a type checker sees the signatures of a join of a table."""
    return cast("TableJoin[K2, V2, P]", method)
