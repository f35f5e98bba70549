"""A client that waits for its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from holdfast.client import catalog, sql
from holdfast.client.connection import Connection, SyncTransport
from holdfast.client.remote_store import RemoteStore, follow
from holdfast.client.sql_result import SqlResult
from holdfast.client.subscription import Subscription
from holdfast.dsl.store_handle import StoreHandle
from holdfast.dsl.store_update import StoreUpdate


class Client:
    """What `hf.connect` gives: the stores and routes of a query server.

    What it reads never goes back in time, whichever servers are behind the address: each request asks for an epoch
    that is no older than the last one seen.
    """

    def __init__(self, url: str, token: str | None, ca: Path | str | None, timeout: float) -> None:
        self._connection = Connection(url, token, ca, timeout)
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
