"""What the holder of a token may read: stores or parts of them, routes of the app, and what the server says of both."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from holdfast.server.responses import Forbidden
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.keys import Bounds, KeyType
from holdfast.stores.types import WrongType, shown

RANGE = "a range"

log = logging.getLogger("holdfast.server")


@dataclass(frozen=True)
class Rights:
    """What a token may read; `stores` has the prefixes of its keys for each store, none of them for all keys.

    None stands for every store, or every route.
    """

    token: str
    stores: Mapping[str, tuple[str, ...]] | None
    routes: frozenset[str] | None
    meta: bool
    digest: str = field(default="", repr=False)

    @property
    def is_everything(self) -> bool:
        """Whether nothing is forbidden."""
        return self.stores is None and self.routes is None and self.meta

    def visible(self, catalog: Catalog, *, in_full: bool = False) -> Catalog:
        """The catalog with nothing but what may be read of it."""
        if self.stores is None:
            return catalog
        known = {name: store for name, store in catalog.stores.items() if self.is_visible(name, in_full=in_full)}
        return replace(catalog, stores=known)

    def is_visible(self, store: str, *, in_full: bool = False) -> bool:
        """Whether something of a store may be read, or all of it."""
        return self.stores is None or (store in self.stores and not (in_full and self.stores[store]))

    def require_store(self, name: str, *, in_full: bool = False) -> None:
        """Refuse a store of which nothing may be read, or not everything."""
        if not self.is_visible(name):
            raise Forbidden(self.token, f"may not read store {name!r}", self._hint(), store=name)
        if in_full and not self.is_visible(name, in_full=True):
            what = f"may read only some keys of store {name!r}"
            raise Forbidden(self.token, what, self._parts(name), store=name, key=RANGE)

    def allows(self, store: Store, key: bytes) -> bool:
        """Whether an encoded key may be read."""
        return any(part.holds(key) for part in self._bounds(store))

    def require_key(self, store: Store, key: bytes) -> None:
        """Refuse an encoded key that may not be read."""
        if not self.allows(store, key):
            text = shown(store.keys.decode(key))
            what = f"may not read key {text} of store {store.name!r}"
            raise Forbidden(self.token, what, self._parts(store.name), store=store.name, key=text)

    def require_bounds(self, store: Store, bounds: Bounds) -> None:
        """Refuse a range of which some keys may not be read: an answer never has a part of what was asked for."""
        if not any(_is_inside(bounds, part) for part in self._bounds(store)):
            what = f"may read only some keys of store {store.name!r}, and not all of what is asked for"
            raise Forbidden(self.token, what, self._parts(store.name), store=store.name, key=RANGE)

    def require_route(self, path: str) -> None:
        """Refuse a route of the app that may not be called."""
        if not self.may_call(path):
            raise Forbidden(self.token, f"may not call {path}", self._hint())

    def may_call(self, path: str) -> bool:
        """Whether a route of the app may be called."""
        return self.routes is None or path in self.routes

    def require_meta(self, path: str) -> None:
        """Refuse what the server says of the app and itself."""
        if not self.meta:
            raise Forbidden(self.token, f"may not read {path}", self._hint())

    def _bounds(self, store: Store) -> tuple[Bounds, ...]:
        if self.stores is None:
            return (Bounds(),)
        prefixes = self.stores.get(store.name)
        return () if prefixes is None else _bounds_of(store.keys, prefixes)

    def _hint(self) -> str:
        return f"it may read: {', '.join(sorted(self.stores or ())) or 'no store'}; GET /stores lists them"

    def _parts(self, store: str) -> str:
        prefixes = () if self.stores is None else self.stores.get(store, ())
        return f"ask for keys with the prefix {' or '.join(prefixes)}" if prefixes else self._hint()


EVERYTHING = Rights("", None, None, True)
NOTHING = Rights("", {}, frozenset(), False)


@lru_cache(1000)
def _bounds_of(keys: KeyType, prefixes: tuple[str, ...]) -> tuple[Bounds, ...]:
    """Where the keys with some prefixes are; what is no prefix of such keys gives nothing."""
    if not prefixes:
        return (Bounds(),)
    found: list[Bounds] = []
    for prefix in prefixes:
        try:
            found.append(keys.parse_bounds(None, None, prefix))
        except WrongType as error:
            log.error("the rights file has the prefix %s, which gives no right: %s", shown(prefix), error)
    return tuple(found)


def _is_inside(asked: Bounds, allowed: Bounds) -> bool:
    is_low = allowed.low is None or (asked.low is not None and asked.low >= allowed.low)
    is_high = allowed.high is None or (asked.high is not None and asked.high <= allowed.high)
    return is_low and is_high
