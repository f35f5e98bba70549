"""A client that waits for its answers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from holdfast.client import catalog, producing, sql
from holdfast.client.connection import Connection, RequestError, SyncTransport
from holdfast.client.remote_store import RemoteStore, follow
from holdfast.client.sql_result import SqlResult
from holdfast.client.sql_watch import SqlUpdate, WatchedQuery
from holdfast.client.subscription import CLOSED, Retries, Subscription
from holdfast.dsl.store_handle import StoreHandle
from holdfast.dsl.store_update import StoreUpdate


class Client:
    """What `hf.connect` gives: the stores and routes of a query server.

    What it reads never goes back in time, whichever servers are behind the address: each request asks for an epoch
    that is no older than the last one seen.
    """

    def __init__(
        self, url: str, token: str | None, ca: Path | str | None, timeout: float, session: str | None = None,
        max_staleness: str | timedelta | None = None,
    ) -> None:  # fmt: skip
        self._connection = Connection(url, token, ca, timeout, session, max_staleness)
        self._transport = SyncTransport(self._connection)

    @property
    def url(self) -> str:
        """The address of the server.

        >>> with hf.connect(url) as client:
        ...     client.url == url
        True
        """
        return self._connection.url

    @property
    def epoch(self) -> int | None:
        """The latest epoch that an answer had; None before the first.

        >>> with hf.connect(url) as client:
        ...     before = client.epoch
        ...     names = client.stores()
        ...     before, client.epoch
        (None, 6)
        """
        return self._connection.epoch

    @property
    def session(self) -> str:
        """What was read and written: another client that is given it reads nothing that is older.

        >>> with hf.connect(url) as client:
        ...     client.session
        ''
        """
        return str(self._connection.session)

    def produce(
        self, topic: str, value: object, *, key: object = None, timestamp: str | datetime | int | None = None
    ) -> str:
        """Write a record to a topic that the app reads; what this client reads from now on shows its effect.

        It gives the session token of the record, for other clients. A server that is started with --produce does so.

        >>> def visit(url):
        ...     with hf.connect(url) as client:
        ...         client.produce("clicks", "/home", key="ann")
        ...         return client["per-user"]["ann"]  # has counted it
        """
        written = self._transport.ask(producing.records(topic, [producing.record(key, value, timestamp)]))
        self._connection.wrote(written)
        return written

    def produce_many(self, topic: str, records: Iterable[Mapping[str, object]]) -> str:
        """Write up to 1,000 records, each a dict with key, value and timestamp, as `produce` does.

        >>> def visit(url):
        ...     with hf.connect(url) as client:
        ...         client.produce_many("clicks", [{"key": user, "value": "/home"} for user in ("ann", "bob")])
        ...         return client["per-user"].get_many(["ann", "bob"])
        """
        written = self._transport.ask(producing.records(topic, records))
        self._connection.wrote(written)
        return written

    def stores(self) -> list[str]:
        """The names of the stores.

        >>> with hf.connect(url) as client:
        ...     client.stores()
        ['hours', 'leaderboard', 'names', 'numbers', 'times', 'visits']
        """
        return sorted(self._transport.ask(catalog.stores()))

    def store(self, name: str) -> StoreHandle[Any, Any]:  # a store's types are known when the server is asked
        """A store by its name: a read-only mapping, as in routes and in the Driver.

        >>> with hf.connect(url) as client:
        ...     numbers = client.store("numbers")  # or client["numbers"]
        ...     numbers[5], numbers.get(5000), list(numbers.range(3, 4))
        (50, None, [(3, 30), (4, 40)])
        """
        handle: StoreHandle[Any, Any] = StoreHandle(name)
        handle.bind(RemoteStore(self._transport, self._transport.ask(catalog.store(name))))
        return handle

    __getitem__ = store

    def sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] = (), *, limit: int | None = None
    ) -> SqlResult:
        """The rows of a SELECT over the stores, all of one epoch; parameters are for `?` and `$1`, or for `$name`.

        Without a limit there are 10,000 rows at most.

        >>> with hf.connect(url) as client:
        ...     client.sql("SELECT count(*) AS n, max(value) AS most FROM numbers WHERE key < ?", [100]).rows
        [{'n': 1350, 'most': 990}]
        """
        return self._transport.ask(sql.query(query, parameters, limit))

    def watch_sql(self, query: str, parameters: Sequence[object] | Mapping[str, object] = ()) -> Iterator[SqlUpdate]:
        """The rows of a SELECT, and then those that each epoch adds and removes; after a lost connection all of them.

        >>> with hf.connect(url) as client:
        ...     next(client.watch_sql("SELECT count(*) AS n FROM numbers"))
        SqlUpdate(epoch=6, added=[{'n': 2500}], removed=[], is_snapshot=True)
        """
        retries = Retries()
        while True:
            watched = WatchedQuery(query, parameters)
            try:
                for line in self._transport.lines(watched.request):
                    retries.connected()
                    if (update := watched.read(line)) is not None:
                        yield update
                wait = CLOSED
            except RequestError as error:
                wait = retries.next_wait(error)
            time.sleep(wait)

    def follow(self, store: str, keys: list[str], bounds: Mapping[str, str]) -> Iterator[StoreUpdate[object, object]]:
        """What `watch` of a store gives, for keys and bounds that are written as in an address.

        >>> with hf.connect(url) as client:
        ...     next(client.follow("numbers", ["1"], {}))
        StoreUpdate(epoch=6, changes={1: 10}, is_snapshot=True)
        """
        subscription = Subscription(self._transport.ask(catalog.store(store)), bounds, keys, None)
        return follow(self._transport, subscription)

    def get(self, path: str, **parameters: object) -> Any:
        """What a route of the app answers, as parsed JSON: `client.get("/leaderboard/1")`.

        >>> with hf.connect(url) as client:
        ...     len(client.get("/leaderboard/1"))
        2
        """
        return self._transport.ask(catalog.route(path, None, parameters))

    def post(self, path: str, body: object, **parameters: object) -> Any:
        """What a route of the app answers to a body, which is sent as JSON.

        >>> with hf.connect(url) as client:
        ...     client.post("/orders", {"id": 5})
        {'taken': {'id': 5, 'note': ''}}
        """
        return self._transport.ask(catalog.route(path, body, parameters))

    def close(self) -> None:
        """Close the connections to the server.

        >>> client = hf.connect(url)
        >>> client.close()
        """
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self.url}>"
