"""How a table is materialized: the name and the options of its store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from holdfast.errors import TopologyError
from holdfast.names import check_name
from holdfast.position import user_position
from holdfast.topology.graph import StoreOptions
from holdfast.units.duration import milliseconds


@dataclass(frozen=True, init=False)
class Materialized:
    """A named store and its options.

    With `ttl` an entry that was not updated for that long, in event time, is deleted: from the store, the changelog and
    the tables made of it.

    With `versioned` the table keeps, for that long, the values that a key had before: updates count by their time and
    not by their arrival, and a join sees the value as of the time of its record.

    >>> import holdfast as hf
    >>> app = hf.App("clicks")
    >>> clicks = app.stream("clicks", str, key=str)
    >>> table = clicks.group_by_key().count(store=hf.Materialized("per-user", emit="every"))
    """

    name: str
    versioned: int | None
    ttl: int | None
    emit: Literal["latest", "every"]

    def __init__(
        self,
        name: str,
        *,
        versioned: str | timedelta | None = None,
        ttl: str | timedelta | None = None,
        emit: Literal["latest", "every"] = "latest",
    ) -> None:
        at = user_position()
        check_name("store", name, TopologyError, longest=100, at=at)
        if emit not in ("latest", "every"):
            raise TopologyError(f'store {name!r}: emit is {emit!r}; it may be "latest" or "every"', at=at)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "versioned", None if versioned is None else _history(name, versioned))
        object.__setattr__(self, "ttl", None if ttl is None else _time_to_live(name, ttl, at))
        object.__setattr__(self, "emit", emit)


def _history(name: str, versioned: str | timedelta) -> int:
    return milliseconds(versioned, f"store {name!r}: versioned=")


def _time_to_live(name: str, ttl: str | timedelta, at: str) -> int:
    length = milliseconds(ttl, f"store {name!r}: ttl=")
    if length < 1:
        raise TopologyError(f"store {name!r}: ttl= must be longer than nothing, for example ttl='1 hour'", at=at)
    return length


StoreArg = str | Materialized | None


def store_options(store: StoreArg) -> StoreOptions:
    """What the user said about a store."""
    if isinstance(store, Materialized):
        # Versions are not thinned out: what is dropped might be the only one of its time.
        emit = store.emit if store.versioned is None else "every"
        return StoreOptions(store.name, emit, versioned=store.versioned, ttl=store.ttl)
    if store is not None and not isinstance(store, str):
        raise TopologyError(f"store= is {store!r}; give a name or hf.Materialized(name, ...)", at=user_position())
    return StoreOptions(store)


def state_options(store: str | None, method: str) -> StoreOptions:
    """The name of a state that holds no table, so that there is nothing to query."""
    if store is not None and not isinstance(store, str):
        raise TopologyError(
            f"{method}: store= is {store!r}; this state is no table and has no options, give a name",
            at=user_position(),
        )
    return StoreOptions(store, queryable=False)


def view_options(store: StoreArg) -> StoreOptions | None:
    """Like `store_options`, but a view without a name is not materialized."""
    return None if store is None else store_options(store)
