"""The windows of all keys between two times.

Entries are in the order of their keys first and of their times second, so a scan leaps from key to key.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from holdfast.stores.key_codec import KeyCodec, after_prefix
from holdfast.stores.keys import Bounds, KeyType
from holdfast.stores.snapshot import Snapshot
from holdfast.types import TIMESTAMP

_TIME = 9  # a time with its mark; two of them end the bytes of a windowed key
_TRIES = 512


@dataclass(frozen=True)
class WindowSpan:
    """Windows that begin between two times, whatever their key; None is open."""

    first: bytes | None = None
    last: bytes | None = None

    def holds(self, key: bytes) -> bool:
        """Whether the window of an encoded key begins within the span."""
        start = key[-2 * _TIME : -_TIME]
        return (self.first is None or start >= self.first) and (self.last is None or start <= self.last)

    def following(self, key: bytes) -> bytes | None:
        """Where the next window of the span may be, behind one that is not of it; None if there can be none."""
        of_key, start = key[: -2 * _TIME], key[-2 * _TIME : -_TIME]
        if self.first is not None and start < self.first:
            return of_key + self.first
        return after_prefix(of_key)

    def preceding(self, key: bytes) -> bytes:
        """Below which the window of the span is that comes before one that is not of it."""
        of_key, start = key[: -2 * _TIME], key[-2 * _TIME : -_TIME]
        if self.last is not None and start > self.last:
            return of_key + (after_prefix(self.last) or self.last)
        return of_key


def window_span(keys: KeyType, start: object = None, end: object = None) -> WindowSpan:
    """The span of windows that begin from start to end, both inclusive."""
    keys.require_windows()
    encode = KeyCodec(TIMESTAMP).encode
    return WindowSpan(*(None if time is None else encode(time) for time in (start, end)))


def scan(
    snapshot: Snapshot, store: str, span: WindowSpan, after: bytes | None = None, *, reverse: bool = False
) -> Iterator[tuple[bytes, bytes]]:
    """Encoded keys and JSON values of the windows of a span, by key and then by time; after a key if one is given."""
    bounds: Bounds | None = Bounds()
    if after is not None:
        bounds = Bounds().before(after) if reverse else Bounds().after(after)
    while bounds is not None:
        bounds = yield from _until_leap(snapshot, store, span, bounds, reverse)


def _until_leap(
    snapshot: Snapshot, store: str, span: WindowSpan, bounds: Bounds, reverse: bool
) -> Generator[tuple[bytes, bytes], None, Bounds | None]:
    """What is found before a leap is cheaper than looking at every window; gives where to go on, None at the end."""
    missed = 0
    for key, value in snapshot.scan(store, bounds, reverse=reverse):
        if span.holds(key):
            missed = 0
            yield key, value
        elif (missed := missed + 1) >= _TRIES:
            if reverse:
                return Bounds(high=min(span.preceding(key), key))
            low = span.following(key)
            return None if low is None else Bounds(max(low, key + b"\x00"))
    return None
