"""A subscription, apart from how it is read: what to ask for, and what the lines of an answer say."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.client import catalog
from holdfast.client.connection import RequestError
from holdfast.client.requests import Question, Request, to_store
from holdfast.client.store_types import StoreTypes
from holdfast.dsl.store_update import StoreUpdate

CLOSED = 0.1  # seconds until a server that has ended an answer is asked again
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 30.0
_PASSING = (None, 502, 503, 504)  # no answer, or that of a server that begins or of one before it


class Retries:
    """Waits between attempts to connect again; the first failure without a connection before it is final."""

    def __init__(self) -> None:
        self._wait: float | None = None

    def connected(self) -> None:
        """Something came: the next failure is a lost connection."""
        self._wait = _FIRST_WAIT

    @property
    def is_again(self) -> bool:
        """Whether there was a connection before."""
        return self._wait is not None

    def next_wait(self, error: RequestError) -> float:
        """How many seconds to wait now; raises the error if it is not worth it."""
        if self._wait is None or self._wait > _LONGEST_WAIT or error.status not in _PASSING:
            raise error
        wait, self._wait = self._wait, self._wait * 2
        return wait


class Subscription:
    """What has been seen of a store; after a lost connection it goes on from there."""

    def __init__(
        self, store: StoreTypes, parameters: Mapping[str, str], keys: list[str], after: int | str | None
    ) -> None:
        self._store = store
        self._parameters = parameters
        self._keys = keys
        self._after = after
        self._snapshot: dict[object, object] = {}

    def types(self) -> Question[None]:
        """Ask for the store's types again: the program may have changed while there was no connection."""
        self._store = yield from catalog.store(self._store.name)

    def request(self) -> Request:
        """What to ask for now."""
        self._snapshot = {}
        after = {} if self._after is None else {"after": str(self._after)}
        return to_store(self._store.name, "/changes", query={**self._parameters, "key": self._keys, **after})

    def read(self, line: str) -> StoreUpdate[object, object] | None:
        """What a line says, if an update ends with it."""
        if not line:
            return None
        said = self._store.page_of(line.encode())
        if "error" in said:
            error = said["error"]
            raise RequestError(f"{error['message']}; {error['hint']}", status=410, code=error["code"])
        if "entries" in said:
            self._snapshot.update(self._store.entry_of(row) for row in said["entries"])
            return None
        changes = {**self._snapshot, **dict(self._store.entry_of(row) for row in said["changes"])}
        is_snapshot, self._snapshot = self._after is None, {}
        self._after = id = said.get("id", str(said["epoch"]))
        if is_snapshot:
            changes = {key: value for key, value in changes.items() if value is not None}
        return StoreUpdate(said["epoch"], changes, is_snapshot, id)
