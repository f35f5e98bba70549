"""What an app publishes about itself: its topology, its stores with their types, its last epoch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TypeVar

import orjson

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.stores import values
from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.keys import KeyType
from holdfast.stores.snapshot import Snapshot, pack_types
from holdfast.stores.versions import NoVersions
from holdfast.topics.own_topics import meta_topic
from holdfast.topics.windowed import is_windowed
from holdfast.types import DataType, from_json
from holdfast.types.comparing import is_resolved

T = TypeVar("T")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")


class UnknownStore(HoldfastError):
    """The app has no such store."""

    def __init__(self, name: str, known: list[str]) -> None:
        close = get_close_matches(name, known, 1)
        guess = f"; did you mean {close[0]!r}?" if close else ""
        super().__init__(f"no store {name!r}{guess}")
        self.hint = f"stores: {', '.join(known)}" if known else "the running program has no named store"


class NotOfTheApp(HoldfastError):
    """A record of the meta topic that the app cannot have written."""


class StoreNotReady(HoldfastError):
    """The replica does not have the store with its present types yet."""

    hint = "GET /ready says when it is there"


@dataclass(frozen=True)
class Store:
    """A named store: what it holds and where its changes are."""

    name: str
    kind: str
    key: DataType
    value: DataType
    changelog: str
    node: str | None = None
    versioned: int | None = None

    def at(self, snapshot: Snapshot) -> Store:
        """This store, if the snapshot holds it with these very types; a changed type is first rebuilt."""
        if snapshot.meta(f"types:{self.name}") != self._types:
            raise StoreNotReady(f"store {self.name!r} is still being restored from {self.changelog}")
        return self

    def require_versions(self) -> Store:
        """This store; NoVersions if it keeps none."""
        if self.versioned is None:
            raise NoVersions(self.name)
        return self

    @cached_property
    def _types(self) -> bytes:
        return pack_types(self.key, self.value)

    @cached_property
    def keys(self) -> KeyType:
        """Its keys."""
        return KeyType(self.key)

    @cached_property
    def read_value(self) -> values.Reader:
        """From a value's JSON to Python."""
        return values.reader(self.value)


@dataclass(frozen=True)
class Catalog:
    """The published state of an app; every record of its meta topic makes a new one."""

    app: str
    topology: Document | None = None
    stores: Mapping[str, Store] = field(default_factory=dict)
    epoch: int = 0
    epoch_at: int = 0
    epoch_offsets: Mapping[Partition, int] | None = None
    position: EpochPosition | None = None
    program: Document | None = None
    """The program's file and which nodes run Python, if the app publishes it."""
    live: bool = False  # whether the app writes as it goes, in real-time mode, and not epoch by epoch

    @property
    def topic(self) -> str:
        """The topic it is read from."""
        return meta_topic(self.app)

    def store(self, name: str) -> Store:
        """The store of that name, or an error that lists those there are."""
        found = self.stores.get(name)
        if found is None:
            raise UnknownStore(name, sorted(self.stores))
        return found

    def updated(self, key: bytes | None, value: bytes | None) -> Catalog:
        """The catalog after one more record of the meta topic."""
        readers = {b"topology": self._with_topology, b"epoch": self._with_epoch}
        if key not in readers or value is None:
            raise NotOfTheApp("it is neither a topology nor an epoch")
        try:
            return readers[key](orjson.loads(value))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, HoldfastError) as error:
            raise NotOfTheApp(f"its value is no {key.decode()}") from error

    def _with_topology(self, document: Document) -> Catalog:
        nodes = {node["id"]: node for node in document["topology"].get("nodes", ())}
        stores = {
            name: _store(name, fields, nodes.get(fields.get("node"), {})) for name, fields in document["stores"].items()
        }
        program = _is(dict, document.get("program") or {}) or None
        return replace(self, topology=_is(dict, document["topology"]), stores=stores, program=program)

    def _with_epoch(self, document: Document) -> Catalog:
        offsets = {
            Partition(topic, int(number)): _is(int, end)
            for topic, ends in document.get("offsets", {}).items()
            for number, end in ends.items()
        }
        return replace(
            self,
            epoch=_is(int, document["epoch"]),
            epoch_at=_is(int, document.get("at", 0)),
            epoch_offsets=offsets,
            position=EpochPosition.of(document),
            live=bool(document.get("live")),
        )


def _store(name: str, fields: Document, node: Document) -> Store:
    versioned = (node.get("store") or {}).get("versioned")
    key, value = (_resolved(fields[part]) for part in ("key", "value"))
    changelog = _is(str, fields["changelog"])
    if not _TOPIC.fullmatch(changelog):
        raise ValueError(f"{changelog!r} cannot be a topic")
    return Store(name, _kind(key, node), key, value, changelog, fields.get("node"), versioned)


def _resolved(document: object) -> DataType:
    """A type of which nothing is left to Spark."""
    of = from_json(document)
    if not is_resolved(of):
        raise ValueError(f"{document!r} is no type that is known")
    return of


def _is(kind: type[T], found: object) -> T:
    if not isinstance(found, kind) or isinstance(found, bool):
        raise TypeError(f"{kind.__name__} was wanted, {type(found).__name__} came")
    return found


def _kind(key: DataType, node: Document) -> str:
    """What one may ask the store for besides values: versions, windows, sessions."""
    if (node.get("store") or {}).get("versioned") is not None:
        return "versioned"
    if not is_windowed(key):
        return "key-value"
    return "session" if (node.get("window") or {}).get("kind") == "session" else "window"
