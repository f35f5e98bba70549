"""A client that awaits its answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.client import catalog, producing, questions, sql
from holdfast.client.connection import NO_EPOCHS, AsyncTransport, Connection, RequestError
from holdfast.client.questions import Entry
from holdfast.client.sql_result import SqlResult
from holdfast.client.sql_watch import SqlUpdate, WatchedQuery
from holdfast.client.store_types import StoreTypes
from holdfast.client.subscription import CLOSED, Retries
from holdfast.documents import Document
from holdfast.dsl.store_update import StoreUpdate
from holdfast.errors import KeyNotFound
from holdfast.units.time import epoch_milliseconds, span_milliseconds

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Time = str | datetime | int


class AsyncStore:
    """A store behind a server: what a `StoreHandle` gives, awaited."""

    def __init__(self, transport: AsyncTransport, store: StoreTypes) -> None:
        self.name = store.name
        self._transport = transport
        self._ask = transport.ask
        self._store = store

    async def get(self, key: object, default: object = None) -> Any:  # only the app knows the types of values
        """The value of a key, or the default.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return await numbers.get(5), await numbers.get(5000, "none")
        >>> asyncio.run(ask())
        (50, 'none')
        """
        try:
            return await self._ask(questions.value_of(self._store, key))
        except KeyNotFound:
            return default

    async def get_many(self, keys: Iterable[object]) -> dict[Any, Any]:
        """The values of many keys at once, as of one epoch; keys that the store does not have are left out.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return await numbers.get_many([1, 2, 5000])
        >>> asyncio.run(ask())
        {1: 10, 2: 20}
        """
        return await self._ask(questions.values_of(self._store, list(keys)))

    async def count(self) -> int:
        """How many entries there are.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return await numbers.count()
        >>> asyncio.run(ask())
        2500
        """
        return await self._ask(questions.count(self._store))

    async def at(self, key: object, time: Time) -> Any:
        """The value that a key of a versioned store had at a time, or KeyNotFound.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return await numbers.at(5, "2026-01-01T00:00:00Z")
        >>> asyncio.run(ask())
        Traceback (most recent call last):
        ...
        holdfast.client.connection.RequestError: ...
        """
        return await self._ask(questions.value_at(self._store, key, epoch_milliseconds(time, "at()")))

    def all(self) -> AsyncIterator[Entry]:
        """All entries in the order of their keys.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         boards = await client.store("leaderboard")
        ...         return [game async for game, board in boards.all()]
        >>> asyncio.run(ask())
        [1, 6]
        """
        return self.range()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> AsyncIterator[Entry]:
        """The entries between two keys, both included.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return [entry async for entry in numbers.range(3, 5)]
        >>> asyncio.run(ask())
        [(3, 30), (4, 40), (5, 50)]
        """
        return self._pages(questions.in_range(self._store, start, end, prefix, reverse))

    def windows(
        self, key: object, start: Time | None = None, end: Time | None = None, *, reverse: bool = False
    ) -> AsyncIterator[Entry]:
        """The windows of a key that begin between two times, both included.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         hours = await client.store("hours")
        ...         return [n async for window, n in hours.windows("a", "1970-01-01T01:00:00Z")]
        >>> asyncio.run(ask())
        [1, 2]
        """
        first, last = span_milliseconds(start, end, "windows()")
        return self._pages(questions.of_windows(self._store, key, first, last, reverse), "/get")

    def all_windows(
        self, start: Time | None = None, end: Time | None = None, *, reverse: bool = False
    ) -> AsyncIterator[Entry]:
        """The windows of all keys that begin between two times, both included, by key and then by time.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         hours = await client.store("hours")
        ...         return [window.key async for window, n in hours.all_windows(end=0)]
        >>> asyncio.run(ask())
        ['a', 'a b', 'b']
        """
        first, last = span_milliseconds(start, end, "all_windows()")
        return self._pages(questions.in_span(first, last, reverse), "/windows")

    async def watch(
        self,
        *keys: object,
        start: object = None,
        end: object = None,
        prefix: object = None,
        after: int | str | None = None,
    ) -> AsyncGenerator[StoreUpdate[Any, Any]]:
        """What there is of some keys, of a range or of everything, and then the changes of every epoch.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         async for update in numbers.watch(1, 2):
        ...             return update
        >>> asyncio.run(ask())
        StoreUpdate(epoch=6, changes={1: 10, 2: 20}, is_snapshot=True)
        """
        subscription, retries = questions.watched(self._store, keys, start, end, prefix, after), Retries()
        while True:
            try:
                if retries.is_again:
                    await self._ask(subscription.types())
                async for line in self._transport.lines(subscription.request()):
                    retries.connected()
                    if (update := subscription.read(line)) is not None:
                        self._transport.seen(update.epoch, update.id)
                        yield update
                wait = CLOSED
            except RequestError as error:
                wait = retries.next_wait(error)
            await asyncio.sleep(wait)

    async def to_arrow(self) -> pyarrow.Table:
        """The store as a `pyarrow.Table` with the columns key and value, in the store's own types.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return (await numbers.to_arrow()).num_rows
        >>> asyncio.run(ask())
        2500
        """
        from holdfast.workers.codec.arrow_tables import table

        return table(self._store.key, self._store.value, await self._snapshot())

    async def to_pandas(self) -> pandas.DataFrame:
        """The store as a `pandas.DataFrame` with the columns key and value; pandas must be installed.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return len(await numbers.to_pandas())
        >>> asyncio.run(ask())
        2500
        """
        frame: pandas.DataFrame = (await self.to_arrow()).to_pandas(maps_as_pydicts="strict")
        return frame

    async def to_polars(self) -> polars.DataFrame:
        """The store as a `polars.DataFrame` with the columns key and value; polars must be installed.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         numbers = await client.store("numbers")
        ...         return (await numbers.to_polars()).shape
        >>> asyncio.run(ask())
        (2500, 2)
        """
        import polars

        return polars.DataFrame(await self.to_arrow())

    async def _snapshot(self) -> list[Entry]:
        """All entries as of one epoch; page by page where there are no epochs."""
        await self.count()
        if self._transport.epoch is None:
            return [entry async for entry in self.all()]  # before the first epoch
        updates = self.watch()
        try:
            return self._store.in_order((await anext(updates)).changes)
        except RequestError as error:
            if error.code != NO_EPOCHS:
                raise
            return [entry async for entry in self.all()]
        finally:
            await updates.aclose()

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

    def __init__(
        self, url: str, token: str | None, ca: Path | str | None, timeout: float, session: str | None = None,
        max_staleness: str | timedelta | None = None,
    ) -> None:  # fmt: skip
        self._connection = Connection(url, token, ca, timeout, session, max_staleness)
        self._transport = AsyncTransport(self._connection)

    @property
    def url(self) -> str:
        """The address of the server.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return client.url == url
        >>> asyncio.run(ask())
        True
        """
        return self._connection.url

    @property
    def epoch(self) -> int | None:
        """The latest epoch that an answer had; None before the first.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         before = client.epoch
        ...         await client.stores()
        ...         return before, client.epoch
        >>> asyncio.run(ask())
        (None, 6)
        """
        return self._connection.epoch

    @property
    def session(self) -> str:
        """What was read and written: another client that is given it reads nothing that is older.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return client.session
        >>> asyncio.run(ask())
        ''
        """
        return str(self._connection.session)

    async def produce(self, topic: str, value: object, *, key: object = None, timestamp: Time | None = None) -> str:
        """Write a record to a topic that the app reads; what this client reads from now on shows its effect.

        >>> async def visit(url):
        ...     async with hf.connect_async(url) as client:
        ...         await client.produce("clicks", "/home", key="ann")
        ...         per_user = await client.store("per-user")
        ...         return await per_user.get("ann")  # has counted it
        """
        written = await self._transport.ask(producing.records(topic, [producing.record(key, value, timestamp)]))
        self._connection.wrote(written)
        return written

    async def produce_many(self, topic: str, records: Iterable[Mapping[str, object]]) -> str:
        """Write up to 1,000 records, each a dict with key, value and timestamp, as `produce` does.

        >>> async def visit(url):
        ...     async with hf.connect_async(url) as client:
        ...         await client.produce_many("clicks", [{"key": user, "value": "/home"} for user in ("ann", "bob")])
        """
        written = await self._transport.ask(producing.records(topic, records))
        self._connection.wrote(written)
        return written

    async def stores(self) -> list[str]:
        """The names of the stores.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return await client.stores()
        >>> asyncio.run(ask())
        ['hours', 'leaderboard', 'names', 'numbers', 'times', 'visits']
        """
        return sorted(await self._transport.ask(catalog.stores()))

    async def store(self, name: str) -> AsyncStore:
        """A store by its name.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return await client.store("numbers")
        >>> asyncio.run(ask())
        <AsyncStore numbers>
        """
        return AsyncStore(self._transport, await self._transport.ask(catalog.store(name)))

    async def sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] = (), *, limit: int | None = None
    ) -> SqlResult:
        """The rows of a SELECT over the stores, all of one epoch; parameters are for `?` and `$1`, or for `$name`.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return await client.sql("SELECT value FROM numbers WHERE key = $key", {"key": 5})
        >>> asyncio.run(ask()).rows
        [{'value': 50}]
        """
        return await self._transport.ask(sql.query(query, parameters, limit))

    async def watch_sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> AsyncGenerator[SqlUpdate]:
        """The rows of a SELECT, and then those that each epoch adds and removes; after a lost connection all of them.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         async for update in client.watch_sql("SELECT count(*) AS n FROM numbers"):
        ...             return update.added
        >>> asyncio.run(ask())
        [{'n': 2500}]
        """
        retries = Retries()
        while True:
            watched = WatchedQuery(query, parameters)
            try:
                async for line in self._transport.lines(watched.request):
                    retries.connected()
                    if (update := watched.read(line)) is not None:
                        yield update
                wait = CLOSED
            except RequestError as error:
                wait = retries.next_wait(error)
            await asyncio.sleep(wait)

    async def get(self, path: str, **parameters: object) -> Any:
        """What a route of the app answers, as parsed JSON.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return len(await client.get("/leaderboard/1"))
        >>> asyncio.run(ask())
        2
        """
        return await self._transport.ask(catalog.route(path, None, parameters))

    async def post(self, path: str, body: object, **parameters: object) -> Any:
        """What a route of the app answers to a body, which is sent as JSON.

        >>> async def ask():
        ...     async with hf.connect_async(url) as client:
        ...         return await client.post("/orders", {"id": 5})
        >>> asyncio.run(ask())
        {'taken': {'id': 5, 'note': ''}}
        """
        return await self._transport.ask(catalog.route(path, body, parameters))

    async def close(self) -> None:
        """Close the connections to the server; `async with` does so by itself.

        >>> async def ask():
        ...     client = hf.connect_async(url)
        ...     await client.close()
        >>> asyncio.run(ask())
        """
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient {self.url}>"
