"""A client that waits for its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.client import catalog
from holdfast.client.connection import Connection, SyncTransport
from holdfast.client.remote_store import RemoteStore
from holdfast.dsl.store_handle import StoreHandle


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
        """The address of the server."""
        return self._connection.url

    @property
    def epoch(self) -> int | None:
        """The latest epoch that an answer had; None before the first."""
        return self._connection.epoch

    def stores(self) -> list[str]:
        """The names of the stores."""
        return sorted(self._transport.ask(catalog.stores()))

    def store(self, name: str) -> StoreHandle[Any, Any]:  # a store's types are known when the server is asked
        """A store by its name: a read-only mapping, as in routes and in the Driver."""
        handle: StoreHandle[Any, Any] = StoreHandle(name)
        handle.bind(RemoteStore(self._transport, self._transport.ask(catalog.store(name))))
        return handle

    __getitem__ = store

    def get(self, path: str, **parameters: object) -> Any:
        """What a route of the app answers, as parsed JSON: `client.get("/leaderboard/1")`."""
        return self._transport.ask(catalog.route(path, None, parameters))

    def post(self, path: str, body: object, **parameters: object) -> Any:
        """What a route of the app answers to a body, which is sent as JSON."""
        return self._transport.ask(catalog.route(path, body, parameters))

    def close(self) -> None:
        """Close the connections to the server."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client {self.url}>"
