"""A processor's store during a call: prefetched entries, fetched entries, changes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from holdfast.errors import StateRefused
from holdfast.topology.processor_nodes import ProcessorStoreSpec
from holdfast.topology.runner_spec import Ask
from holdfast.types import BINARY, STRING, Scalar, Struct
from holdfast.workers.codec.arrow_batch import read_batch, write_batch
from holdfast.workers.codec.column_encoder import WrongType
from holdfast.workers.codec.json_size import JsonSize
from holdfast.workers.codec.row_codec import ENCODING_ERRORS, RowCodec, hashable_key, same, sort_key
from holdfast.workers.process import framing
from holdfast.workers.runners.undo_log import UndoLog
from holdfast.workers.state_store import StateStore

_PAGE = 1000


class Entry(NamedTuple):
    """A key with its value, None if there is none; `time` is set if it has changed.

    `was_there` says whether the kernel has a value of it, None if nobody has asked.
    """

    key: object
    value: object
    was_there: bool | None
    time: int | None


class StoreTypes:
    """The types of a store, made ready once."""

    def __init__(self, index: int, kept: ProcessorStoreSpec) -> None:
        self.index = index
        self.name = kept.name
        self.keys = RowCodec(kept.key, kept.classes[0], f"store {kept.name!r}: key")
        self.values = RowCodec(kept.value, kept.classes[1], f"store {kept.name!r}: value")
        self.has_prefixes = kept.key in (STRING, BINARY)
        self.identity = hashable_key if not isinstance(kept.key, Scalar) else same
        self.sizes = JsonSize(Struct(k=kept.key, v=kept.value), parts=True)


class LiveStore(StateStore[object, object]):
    """A store during one call; it holds encoded values, so that only `put` changes it."""

    def __init__(
        self,
        types: StoreTypes,
        known: bytes,
        ask: Ask,
        undo: UndoLog,
        now: Callable[[], int],
        careful: bool,
        limits: tuple[int, int, int] | None,
    ) -> None:
        self._types = types
        self._ask = ask
        self._undo = undo
        self._now = now
        self._encode_key, self._encode_value = types.keys.encoder(careful), types.values.encoder(careful)
        self._identity, self._build = types.identity, types.values.build
        self._limits = limits
        self._entries: dict[object, Entry] = {}
        self._add_entries(known)

    def get(self, key: object, default: object = None) -> object:
        """The value of a key."""
        found = self._entry(key).value
        return default if found is None else self._build(found)

    def put(self, key: object, value: object) -> None:
        """Set the value of a key; None deletes it."""
        encoded_key = self._key(key)
        name = self._identity(encoded_key)
        before = self._entries.get(name)
        taken = None if value is None else self._encode_value(value)
        made = Entry(encoded_key, taken, None if before is None else before.was_there, self._now())
        if self._limits is not None:
            self._check(made, *self._limits)
        self._entries[name] = made
        self._undo.add(self._restore, name, before)

    def put_if_absent(self, key: object, value: object) -> object:
        """Set the value of a key that has none."""
        found = self.get(key)
        if found is None:
            self.put(key, value)
        return found

    def delete(self, key: object) -> object:
        """Delete a key; give the value that it had."""
        found = self.get(key)
        if found is not None:
            self.put(key, None)
        return found

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[object, object]]:
        """Entries in the order of their keys, as they are now."""
        scan = self._scan(start, end, prefix, reverse)
        changed = sorted(
            (
                (sort_key(each.key), each)
                for each in self._entries.values()
                if each.time is not None and scan.holds(each.key)
            ),
            key=lambda each: each[0],
            reverse=reverse,
        )
        stored = ((sort_key(each.key), each) for each in self._stored(scan))
        build = self._types
        return (
            (build.keys.build(each.key), build.values.build(each.value)) for each in _merged(changed, stored, reverse)
        )

    def all(self, *, reverse: bool = False) -> Iterator[tuple[object, object]]:
        """All entries in the order of their keys."""
        return self.range(reverse=reverse)

    def __contains__(self, key: object) -> bool:
        return self._entry(key).value is not None

    def __getitem__(self, key: object) -> object:
        found = self.get(key)
        if found is None:
            raise KeyError(key)
        return found

    def __setitem__(self, key: object, value: object) -> None:
        self.put(key, value)

    def __delitem__(self, key: object) -> None:
        if self.delete(key) is None:
            raise KeyError(key)

    def changes(self) -> bytes:
        """What has changed, for the kernel; a value that is None was deleted."""
        entries = self._entries.values()
        return self._column(
            [e for e in entries if e.time is not None and (e.was_there is not False or e.value is not None)]
        )

    def _column(self, changed: Sequence[Entry]) -> bytes:
        return write_batch(
            {
                "key": self._types.keys.column([each.key for each in changed]),
                "value": self._types.values.column([each.value for each in changed]),
                "time": pa.array([each.time for each in changed], pa.int64()),
                "there": pa.array([each.was_there for each in changed], pa.bool_()),
            }
        )

    def _check(self, entry: Entry, most: int, first: int, last: int) -> None:
        """Raise what the changelog has against an entry; what surely fits is not shown to the kernel."""
        assert entry.time is not None
        is_timely, sizes = first <= entry.time <= last, self._types.sizes
        if is_timely and (entry.value is None or sizes.quick(entry) <= most):
            return
        # What cannot be written is found out with the results.
        with contextlib.suppress(*ENCODING_ERRORS):
            if not is_timely or sizes.close(entry) > most:
                self._ask_whether_it_fits(self._column([entry]))

    def _ask_whether_it_fits(self, entry: bytes) -> None:
        head = {"ask": "fits", "store": self._types.index}
        reason = self._ask(framing.join([json.dumps(head).encode(), entry]))
        if reason:
            raise StateRefused(reason.decode())

    def _key(self, key: object) -> object:
        if key is None:
            raise WrongType(f"store {self._types.name!r}: a key was wanted, None came")
        return self._encode_key(key)

    def _entry(self, key: object) -> Entry:
        encoded_key = self._key(key)
        found = self._entries.get(self._identity(encoded_key))
        return found if found is not None else self._fetched(encoded_key)

    def _fetched(self, encoded_key: object) -> Entry:
        question = {"ask": "get", "store": self._types.index}
        keys = write_batch({"key": self._types.keys.column([encoded_key])})
        self._add_entries(self._ask(framing.join([json.dumps(question).encode(), keys])))
        return self._entries[self._identity(encoded_key)]

    def _add_entries(self, entries: bytes) -> None:
        for each in self._read(entries):
            self._entries[self._identity(each.key)] = each

    def _read(self, entries: bytes) -> Iterable[Entry]:
        batch = read_batch(entries)
        keys, values = self._types.keys.parts(batch.column("key")), self._types.values.parts(batch.column("value"))
        return (Entry(key, value, value is not None, None) for key, value in zip(keys, values, strict=True))

    def _restore(self, name: object, before: Entry | None) -> None:
        if before is None:
            del self._entries[name]
        else:
            self._entries[name] = before

    def _scan(self, start: object, end: object, prefix: object, reverse: bool) -> Scan:
        if prefix is not None and not self._types.has_prefixes:
            raise WrongType(f"store {self._types.name!r}: prefix= is for keys that are text or bytes")
        first, last, begin = (None if each is None else self._key(each) for each in (start, end, prefix))
        if begin is not None:
            first = begin if first is None else max(first, begin, key=sort_key)
        return Scan(first, last, begin, reverse)

    def _stored(self, scan: Scan) -> Iterator[Entry]:
        """What the kernel has, page by page."""
        after = False
        while True:
            page = list(self._read(self._ask(self._question(scan, after))))
            for each in page:
                self._entries.setdefault(self._identity(each.key), each)
            yield from page
            if len(page) < _PAGE:
                return
            scan, after = scan.beyond(page[-1].key), True

    def _question(self, scan: Scan, after: bool) -> bytes:
        head = {"ask": "scan", "store": self._types.index, "reverse": scan.reverse, "after": after, "most": _PAGE}
        bounds = [("from", scan.first), ("to", scan.last), ("prefix", scan.prefix)]
        row = write_batch({name: self._types.keys.column([each]) for name, each in bounds})
        return framing.join([json.dumps(head).encode(), row])


class Scan(NamedTuple):
    """Which keys are wanted, in plain data."""

    first: object
    last: object
    prefix: object
    reverse: bool

    def holds(self, key: Any) -> bool:  # text or bytes where there is a prefix
        """Whether a key is among them."""
        place = sort_key(key)
        return (
            (self.first is None or sort_key(self.first) <= place)
            and (self.last is None or place <= sort_key(self.last))
            and (self.prefix is None or key.startswith(self.prefix))
        )

    def beyond(self, key: object) -> Scan:
        """What is left when the scan has come to a key."""
        return self._replace(last=key) if self.reverse else self._replace(first=key)


def _merged(
    changed: list[tuple[Any, Entry]],  # each with its `sort_key`
    stored: Iterator[tuple[object, Entry]],
    reverse: bool,
) -> Iterator[Entry]:
    """Merges changed and stored entries in order: a change replaces the stored entry, a delete hides it."""
    waiting = iter(changed)
    change = next(waiting, None)
    for place, entry in stored:
        while change is not None and (change[0] > place if reverse else change[0] < place):
            yield from _existing(change[1])
            change = next(waiting, None)
        if change is not None and change[0] == place:
            yield from _existing(change[1])
            change = next(waiting, None)
        else:
            yield entry
    while change is not None:
        yield from _existing(change[1])
        change = next(waiting, None)


def _existing(entry: Entry) -> Iterable[Entry]:
    return () if entry.value is None else (entry,)
