"""Queries from Python, wherever it runs: stores of a query server as typed handles."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from holdfast.client.async_client import AsyncClient, AsyncStore
from holdfast.client.connection import RequestError
from holdfast.client.spark_frame import read_store
from holdfast.client.sql_result import SqlResult
from holdfast.client.sql_watch import SqlUpdate
from holdfast.client.sync_client import Client
from holdfast.dsl.store_update import StoreUpdate
from holdfast.settings import secrets
from holdfast.settings.table import TOKEN, URL

__all__ = [
    "AsyncClient",
    "AsyncStore",
    "Client",
    "RequestError",
    "SqlResult",
    "SqlUpdate",
    "StoreUpdate",
    "connect",
    "connect_async",
    "read_store",
]

_TIMEOUT = 30.0


def connect(
    url: str = URL,
    *,
    token: str | None = None,
    ca: Path | str | None = None,
    timeout: float = _TIMEOUT,
    session: str | None = None,
    max_staleness: str | timedelta | None = None,
) -> Client:
    """Connect to a query server: `holdfast run --serve`, `holdfast serve` or `app.start(serve=True)`.

    Without `token` the one in HOLDFAST_TOKEN is sent, if there is one; `env:NAME` and `file:PATH` are looked up.
    Nothing is read that is older than `session`, which is `client.session` of another client, or misses what had been
    published longer ago than `max_staleness`, as "2 seconds".

    >>> with hf.connect(url) as client:
    ...     client["numbers"].get_many([1, 2, 5000])
    {1: 10, 2: 20}
    """
    return Client(url, _token(token), ca, timeout, session, max_staleness)


def connect_async(
    url: str = URL,
    *,
    token: str | None = None,
    ca: Path | str | None = None,
    timeout: float = _TIMEOUT,
    session: str | None = None,
    max_staleness: str | timedelta | None = None,
) -> AsyncClient:
    """The same for `async` code.

    >>> async def ask():
    ...     async with hf.connect_async(url) as client:
    ...         numbers = await client.store("numbers")
    ...         return await numbers.get(5)
    >>> asyncio.run(ask())
    50
    """
    return AsyncClient(url, _token(token), ca, timeout, session, max_staleness)


def _token(given: str | None) -> str | None:
    found = given or os.environ.get(TOKEN.variable)
    return secrets.value_of(TOKEN.variable, found, Path.cwd()) if found else None
