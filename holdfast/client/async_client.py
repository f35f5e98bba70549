"""A client that awaits its answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.client import catalog, questions
from holdfast.client.connection import AsyncTransport, Connection
from holdfast.client.questions import Entry
from holdfast.client.store_types import StoreTypes
from holdfast.documents import Document
from holdfast.errors import KeyNotFound
from holdfast.units.time import epoch_milliseconds

if TYPE_CHECKING:
    import pyarrow

Time = str | datetime | int


class AsyncStore:
    """A store behind a server: what a `StoreHandle` gives, awaited."""

    def __init__(self, transport: AsyncTransport, store: StoreTypes) -> None:
        self.name = store.name
        self._ask = transport.ask
        self._store = store

    async def get(self, key: object, default: object = None) -> Any:  # only the app knows the types of values
        """The value of a key, or the default."""
        try:
            return await self._ask(questions.value_of(self._store, key))
        except KeyNotFound:
            return default

    async def get_many(self, keys: Iterable[object]) -> dict[Any, Any]:
        """The values of many keys at once, as of one epoch; keys that the store does not have are left out."""
        return await self._ask(questions.values_of(self._store, list(keys)))

    async def count(self) -> int:
        """How many entries there are."""
        return await self._ask(questions.count(self._store))

    async def at(self, key: object, time: Time) -> Any:
        """The value that a key of a versioned store had at a time, or KeyNotFound."""
        return await self._ask(questions.value_at(self._store, key, epoch_milliseconds(time, "at()")))

    def all(self) -> AsyncIterator[Entry]:
        """All entries in the order of their keys."""
        return self.range()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> AsyncIterator[Entry]:
        """The entries between two keys, both included."""
        return self._pages(questions.in_range(self._store, start, end, prefix, reverse))

    def windows(self, key: object, start: Time | None = None, end: Time | None = None) -> AsyncIterator[Entry]:
        """The windows of a key that begin between two times, both included."""
        first, last = _milliseconds(start, "windows()"), _milliseconds(end, "windows()")
        return self._pages(questions.of_windows(self._store, key, first, last), "/get")

    def all_windows(self, start: Time | None = None, end: Time | None = None) -> AsyncIterator[Entry]:
        """The windows of all keys that begin between two times, both included, by key and then by time."""
        first, last = _milliseconds(start, "all_windows()"), _milliseconds(end, "all_windows()")
        return self._pages(questions.in_span(first, last), "/windows")

    async def to_arrow(self) -> pyarrow.Table:
        """The store as a `pyarrow.Table` with the columns key and value, in the store's own types."""
        from holdfast.workers.codec.arrow_tables import table

        return table(self._store.key, self._store.value, [entry async for entry in self.all()])

    async def _pages(self, parameters: Document, below: str = "/page") -> AsyncIterator[Entry]:
        after: str | None = None
        while True:
            entries, after = await self._ask(questions.page(self._store, parameters, below, after))
            for entry in entries:
                yield entry
            if after is None:
                return

    def __repr__(self) -> str:
        return f"<AsyncStore {self.name}>"


class AsyncClient:
    """What `hf.connect_async` gives: the stores and routes of a query server, awaited."""

    def __init__(self, url: str, token: str | None, ca: Path | str | None, timeout: float) -> None:
        self._connection = Connection(url, token, ca, timeout)
        self._transport = AsyncTransport(self._connection)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._connection.url

    @property
    def epoch(self) -> int | None:
        """The latest epoch that an answer had; None before the first."""
        return self._connection.epoch

    async def stores(self) -> list[str]:
        """The names of the stores."""
        return sorted(await self._transport.ask(catalog.stores()))

    async def store(self, name: str) -> AsyncStore:
        """A store by its name."""
        return AsyncStore(self._transport, await self._transport.ask(catalog.store(name)))

    async def get(self, path: str, **parameters: object) -> Any:
        """What a route of the app answers, as parsed JSON."""
        return await self._transport.ask(catalog.route(path, None, parameters))

    async def post(self, path: str, body: object, **parameters: object) -> Any:
        """What a route of the app answers to a body, which is sent as JSON."""
        return await self._transport.ask(catalog.route(path, body, parameters))

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient {self.url}>"


def _milliseconds(time: Time | None, where: str) -> int | None:
    return None if time is None else epoch_milliseconds(time, where)
