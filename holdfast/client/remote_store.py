"""A store behind a server, as a handle reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdfast.client import questions
from holdfast.client.connection import SyncTransport
from holdfast.client.questions import Entry
from holdfast.client.store_types import StoreTypes
from holdfast.documents import Document
from holdfast.types import DataType


class RemoteStore:
    """Asks the server for what a handle wants to read."""

    def __init__(self, transport: SyncTransport, store: StoreTypes) -> None:
        self._ask = transport.ask
        self._store = store

    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values."""
        return self._store.key, self._store.value

    def get(self, key: object) -> object:
        """The value of a key, or KeyNotFound."""
        return self._ask(questions.value_of(self._store, key))

    def get_many(self, keys: Iterable[object]) -> dict[object, object]:
        """The values of those of the keys that there are."""
        return self._ask(questions.values_of(self._store, list(keys)))

    def all(self) -> Iterator[Entry]:
        """All entries in the order of their keys."""
        return self.range()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[Entry]:
        """The entries between two keys, both included."""
        return self._pages(questions.in_range(self._store, start, end, prefix, reverse))

    def windows(self, key: object, start: object = None, end: object = None) -> Iterator[Entry]:
        """The windows of a key that begin from start to end, both included."""
        return self._pages(questions.of_windows(self._store, key, start, end), "/get")

    def all_windows(self, start: object = None, end: object = None) -> Iterator[Entry]:
        """The windows of all keys that begin from start to end, both included."""
        return self._pages(questions.in_span(start, end), "/windows")

    def at(self, key: object, time: int) -> object:
        """The value that a key had at a time, or KeyNotFound."""
        return self._ask(questions.value_at(self._store, key, time))

    def count(self) -> int:
        """How many entries there are."""
        return self._ask(questions.count(self._store))

    def _pages(self, parameters: Document, below: str = "/page") -> Iterator[Entry]:
        after: str | None = None
        while True:
            entries, after = self._ask(questions.page(self._store, parameters, below, after))
            yield from entries
            if after is None:
                return
