"""A store as its server describes it: its types, and how keys are written in requests and read from replies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property

from holdfast.documents import Document
from holdfast.stores import values
from holdfast.stores.keys import KeyType
from holdfast.stores.types import WrongType
from holdfast.topics.windowed import is_windowed
from holdfast.types import DataType, Struct, from_json


@dataclass(frozen=True)
class StoreTypes:
    """The name of a store and the types of its keys and values."""

    name: str
    kind: str
    key: DataType
    value: DataType

    @classmethod
    def of(cls, row: Document) -> StoreTypes:
        """What `GET /stores` says of one store."""
        return cls(row["name"], row["kind"], from_json(row["key"]), from_json(row["value"]))

    @cached_property
    def keys(self) -> KeyType:
        """Its keys."""
        return KeyType(self.key)

    def written_key(self, key: object) -> object:
        """A key as a request has it, as JSON; `WrongType` if the store can have no such key."""
        decoded: object = self.keys.decode(self.keys.encode(key))
        return decoded

    def written_window_key(self, key: object) -> object:
        """The key of a window, without its times."""
        if not isinstance(self.key, Struct) or not is_windowed(self.key):
            raise WrongType(f"store {self.name!r} has no windows")
        inner = KeyType(self.key.field("key"))
        decoded: object = inner.decode(inner.encode(key))
        return decoded

    def text(self, key: object) -> str:
        """A key, or the leading fields of one, as a parameter has it."""
        self.keys.bounds(start=key)  # refused here, with the type that was wanted
        return _text(key)

    def prefix_text(self, prefix: object) -> str:
        """The beginning of keys as a parameter has it."""
        self.keys.bounds(prefix=prefix)
        return _text(prefix)

    def in_order(self, entries: Mapping[object, object]) -> list[tuple[object, object]]:
        """Entries in the order of their keys."""
        return sorted(entries.items(), key=lambda entry: self.keys.encode(entry[0]))

    @cached_property
    def _read_key(self) -> values.Convert:
        return values.converter(self.key)

    @cached_property
    def _read_value(self) -> values.Convert:
        return values.converter(self.value)

    @cached_property
    def _parse_value(self) -> values.Reader:
        return values.parser(self.value)

    @cached_property
    def _parse_entries(self) -> values.Reader:
        return values.parser(Struct(key=self.key, value=self.value))

    def value_of(self, body: bytes) -> object:
        """A value from the body of a reply."""
        return self._read_value(self._parse_value(body))

    def values_of(self, found: Iterable[object]) -> list[object]:
        """Values from parsed JSON."""
        return [self._read_value(each) for each in found]

    def page_of(self, body: bytes) -> Document:
        """The body of a reply that has entries, parsed with every digit."""
        page = self._parse_entries(body)
        if not isinstance(page, dict):
            raise ValueError(f"a page of store {self.name!r} is an object")
        return page

    def entry_of(self, row: Mapping[str, object]) -> tuple[object, object]:
        """The key and the value of an entry; a record that is a key can be a key of a dict."""
        key = self.keys.decode(self.keys.encode(self._read_key(row["key"])))
        return key, self._read_value(row["value"])


def _text(key: object) -> str:
    match key:
        case str():
            return key
        case bool():
            return "true" if key else "false"
        case datetime():
            return values.iso(key)
        case date():
            return key.isoformat()
        case Decimal():
            return format(key, "f")
        case int() | float():
            return repr(key)
    written = values.dumps(key).decode()
    return written.strip('"') if isinstance(key, bytes | bytearray | memoryview) else written
