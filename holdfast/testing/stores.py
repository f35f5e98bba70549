"""A snapshot of a store, behind the handle that servers use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from holdfast.dsl.store_update import StoreUpdate
from holdfast.errors import KeyNotFound, NotServed
from holdfast.stores import values, versions
from holdfast.stores.keys import KeyType
from holdfast.stores.window_scan import window_span
from holdfast.topics.windowed import Windowed
from holdfast.types import DataType

Versions = Callable[[object], list[tuple[int, object]]]
"""When each version of a key began, and its JSON."""
WindowEntries = Iterator[tuple[Windowed[object], object]]


class MemoryBackend:
    """Entries given as JSON, in the order that the served store has."""

    def __init__(
        self, name: str, key: DataType, value: DataType, entries: list[list[object]], versions: Versions | None = None
    ) -> None:
        self.name = name
        self._versions = versions
        self._types = key, value
        self._keys, self._read = KeyType(key), values.converter(value)
        read_key = values.converter(key)
        encoded = [(self._keys.encode(read_key(k)), self._read(v)) for k, v in entries]
        # Keys are those that a served store gives: records among them can be keys of a dict.
        self._entries = [(k, self._keys.decode(k), v) for k, v in sorted(encoded, key=lambda each: each[0])]
        self._index = {k: v for k, _, v in self._entries}

    def get(self, key: object) -> object:
        """The value of a key, or KeyNotFound."""
        encoded = self._keys.encode(key)
        if encoded not in self._index:
            raise KeyNotFound(f"store {self.name!r} has no key {key!r}")
        return self._index[encoded]

    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values."""
        return self._types

    def get_many(self, keys: Iterable[object]) -> dict[object, object]:
        """The values of those of the keys that there are."""
        encoded = ((key, self._keys.encode(key)) for key in keys)
        return {self._keys.hashable(key): self._index[each] for key, each in encoded if each in self._index}

    def all(self) -> Iterator[tuple[object, object]]:
        """All entries in the order of their keys."""
        return self.range()

    def snapshot(self) -> Iterator[tuple[object, object]]:
        """All entries, as of now."""
        return self.all()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[object, object]]:
        """The entries between two keys, both included."""
        found = self._inside(self._keys.bounds(start, end, prefix).holds)
        return iter(found[::-1] if reverse else found)

    def windows(self, key: object, start: object = None, end: object = None, *, reverse: bool = False) -> WindowEntries:
        """The windows of a key that begin from start to end, both included."""
        found = self._inside(self._keys.window_bounds(key, start, end).holds)
        return iter(found[::-1] if reverse else found)

    def all_windows(self, start: object = None, end: object = None, *, reverse: bool = False) -> WindowEntries:
        """The windows of all keys that begin from start to end, both included."""
        found = self._inside(window_span(self._keys, start, end).holds)
        return iter(found[::-1] if reverse else found)

    def _inside(self, holds: Callable[[bytes], bool]) -> list[tuple[Any, object]]:  # in windows the keys are `Windowed`
        return [(key, value) for encoded, key, value in self._entries if holds(encoded)]

    def at(self, key: object, time: int) -> object:
        """The value that a key had at a time."""
        if self._versions is None:
            raise versions.NoVersions(self.name)
        found = versions.at(self._versions(key), time)
        if found is None:
            raise KeyNotFound(f"store {self.name!r} knows no value of {key!r} at {time} ms")
        return self._read(found)

    def watch(
        self, keys: Sequence[Any], start: object, end: object, prefix: object, after: int | str | None
    ) -> Iterator[StoreUpdate[Any, Any]]:
        """A store is watched through a server."""
        raise NotServed(f"store {self.name!r} is watched with hf.connect(URL)[{self.name!r}].watch(); here it is read")

    def count(self) -> int:
        """How many entries there are."""
        return len(self._entries)


class LiveBackend:
    """A store as it is whenever it is asked."""

    def __init__(self, content: Callable[[], MemoryBackend]) -> None:
        self._content = content

    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values."""
        return self._content().types()

    def get(self, key: object) -> object:
        """The value of a key, or KeyNotFound."""
        return self._content().get(key)

    def get_many(self, keys: Iterable[object]) -> dict[object, object]:
        """The values of those of the keys that there are."""
        return self._content().get_many(keys)

    def all(self) -> Iterator[tuple[object, object]]:
        """All entries in the order of their keys."""
        return self._content().all()

    def snapshot(self) -> Iterator[tuple[object, object]]:
        """All entries, as of now."""
        return self.all()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[object, object]]:
        """The entries between two keys, both included."""
        return self._content().range(start, end, prefix=prefix, reverse=reverse)

    def windows(self, key: object, start: object = None, end: object = None, *, reverse: bool = False) -> WindowEntries:
        """The windows of a key that begin from start to end, both included."""
        return self._content().windows(key, start, end, reverse=reverse)

    def all_windows(self, start: object = None, end: object = None, *, reverse: bool = False) -> WindowEntries:
        """The windows of all keys that begin from start to end, both included."""
        return self._content().all_windows(start, end, reverse=reverse)

    def at(self, key: object, time: int) -> object:
        """The value that a key had at a time."""
        return self._content().at(key, time)

    def watch(
        self, keys: Sequence[Any], start: object, end: object, prefix: object, after: int | str | None
    ) -> Iterator[StoreUpdate[Any, Any]]:
        """A store is watched through a server."""
        return self._content().watch(keys, start, end, prefix, after)

    def count(self) -> int:
        """How many entries there are."""
        return self._content().count()
