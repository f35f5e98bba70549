"""A store behind a server, as a handle reads it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Sequence

from holdfast.client import questions
from holdfast.client.connection import NO_EPOCHS, RequestError, SyncTransport
from holdfast.client.questions import Entry
from holdfast.client.store_types import StoreTypes
from holdfast.client.subscription import CLOSED, Retries, Subscription
from holdfast.documents import Document
from holdfast.dsl.store_update import StoreUpdate
from holdfast.types import DataType


class RemoteStore:
    """Asks the server for what a handle wants to read."""

    def __init__(self, transport: SyncTransport, store: StoreTypes) -> None:
        self._transport = transport
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

    def snapshot(self) -> list[Entry]:
        """All entries as of one epoch, in the order of their keys; page by page where there are no epochs."""
        self.count()
        if self._transport.epoch is None:
            return list(self.all())  # before the first epoch
        updates = self.watch((), None, None, None, None)
        try:
            return self._store.in_order(next(updates).changes)
        except RequestError as error:
            if error.code != NO_EPOCHS:
                raise
            return list(self.all())
        finally:
            updates.close()

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[Entry]:
        """The entries between two keys, both included."""
        return self._pages(questions.in_range(self._store, start, end, prefix, reverse))

    def windows(
        self, key: object, start: object = None, end: object = None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """The windows of a key that begin from start to end, both included."""
        return self._pages(questions.of_windows(self._store, key, start, end, reverse), "/get")

    def all_windows(self, start: object = None, end: object = None, *, reverse: bool = False) -> Iterator[Entry]:
        """The windows of all keys that begin from start to end, both included."""
        return self._pages(questions.in_span(start, end, reverse), "/windows")

    def at(self, key: object, time: int) -> object:
        """The value that a key had at a time, or KeyNotFound."""
        return self._ask(questions.value_at(self._store, key, time))

    def count(self) -> int:
        """How many entries there are."""
        return self._ask(questions.count(self._store))

    def watch(
        self, keys: Sequence[object], start: object, end: object, prefix: object, after: int | str | None
    ) -> Generator[StoreUpdate[object, object]]:
        """What is there, and then the changes of every epoch; a lost connection is made again."""
        return follow(self._transport, questions.watched(self._store, keys, start, end, prefix, after))

    def _pages(self, parameters: Document, below: str = "/page") -> Iterator[Entry]:
        after: str | None = None
        while True:
            entries, after = self._ask(questions.page(self._store, parameters, below, after))
            yield from entries
            if after is None:
                return


def follow(transport: SyncTransport, subscription: Subscription) -> Generator[StoreUpdate[object, object]]:
    """The updates of a subscription; a lost connection is made again."""
    retries = Retries()
    while True:
        try:
            if retries.is_again:
                transport.ask(subscription.types())
            for line in transport.lines(subscription.request()):
                retries.connected()
                if (update := subscription.read(line)) is not None:
                    transport.seen(update.epoch, update.id)
                    yield update
            wait = CLOSED
        except RequestError as error:
            wait = retries.next_wait(error)
        time.sleep(wait)
