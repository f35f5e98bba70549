"""Pages of a store: bounds, limit and the cursor of the next page, from a query string."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson

from holdfast.errors import HoldfastError
from holdfast.server.responses import Refusal
from holdfast.stores import values, versions, window_scan
from holdfast.stores.catalog import Store
from holdfast.stores.keys import Bounds
from holdfast.stores.snapshot import Snapshot
from holdfast.stores.types import WrongType
from holdfast.units.time import epoch_milliseconds

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000
NAMES = ("from", "to", "prefix", "reverse", "limit", "after")
VERSIONS = ("from", "to", "limit", "after")
WINDOWS = ("from", "to", "reverse", "limit", "after")
_MILLIS = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True)
class Page:
    """Which part of a store is asked for."""

    bounds: Bounds
    limit: int
    reverse: bool = False


def parameters(given: Sequence[tuple[str, str]], allowed: Sequence[str]) -> dict[str, str]:
    """The query's parameters; an unknown one and one given twice are refused."""
    found: dict[str, str] = {}
    for name, value in given:
        if name not in allowed:
            hint = f"allowed here: {', '.join(allowed)}" if allowed else "this path takes no parameters"
            raise Refusal(400, "unknown_parameter", f"unknown query parameter {name!r}", hint)
        if name in found:
            raise Refusal(400, "bad_parameter", f"query parameter {name!r} was given twice", "give it once")
        found[name] = value
    return found


def page(store: Store, given: dict[str, str]) -> Page:
    """What the parameters ask for."""
    try:
        bounds = store.keys.parse_bounds(given.get("from"), given.get("to"), given.get("prefix"))
    except WrongType as error:
        raise Refusal(400, "wrong_type", f"store {store.name!r}: {error}", "from, to and prefix are keys") from None
    return _page(store, bounds, given)


def windows(store: Store, key: object, given: dict[str, str]) -> Page:
    """The windows of a key that begin between two times."""
    try:
        bounds = store.keys.parse_window_bounds(key, given.get("from"), given.get("to"))
    except WrongType as error:
        hint = "from and to are times, in milliseconds or ISO 8601; the key is the one without its window"
        raise Refusal(400, "wrong_type", f"store {store.name!r}: {error}", hint) from None
    return _page(store, bounds, given)


def versions_of(store: Store, snapshot: Snapshot, key: bytes, given: dict[str, str], room: int) -> bytes:
    """The versions of a key that held at some time between two times, in order, as JSON."""
    start, end, after = (_instant(store, name, given.get(name)) for name in ("from", "to", "after"))
    begin = max((time for time in (start, after) if time is not None), default=None)
    found = versions.between(snapshot.versions(store.name, key, begin), start, end)
    left = (each for each in found if each.value and (after is None or each.since > after))
    rows = ((str(each.since), _version(each)) for each in left)
    return _filled(rows, _limit(given.get("limit", str(DEFAULT_LIMIT))), room)


def _instant(store: Store, name: str, text: str | None) -> int | None:
    try:
        return None if text is None else epoch_milliseconds(int(text) if _MILLIS.fullmatch(text) else text, name)
    except HoldfastError as error:
        hint = "from and to are times, in milliseconds or ISO 8601"
        raise Refusal(400, "wrong_type", f"store {store.name!r}: {error}", hint) from None


def _page(store: Store, bounds: Bounds, given: dict[str, str]) -> Page:
    reverse = _flag("reverse", given.get("reverse", "false"))
    if "after" in given:
        last = _cursor(store, given["after"])
        bounds = bounds.before(last) if reverse else bounds.after(last)
    return Page(bounds, _limit(given.get("limit", str(DEFAULT_LIMIT))), reverse)


def _flag(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        raise Refusal(400, "bad_parameter", f"{name} is true or false; got {text[:40]!r}", "the default is false")
    return text == "true"


def entries(store: Store, snapshot: Snapshot, wanted: Page, room: int) -> bytes:
    """The entries of a page and the cursor of the next one, null at the end, as JSON."""
    rows = snapshot.scan(store.name, wanted.bounds, reverse=wanted.reverse)
    return _filled(((_text(key), entry(store, key, value)) for key, value in rows), wanted.limit, room)


def all_windows(store: Store, snapshot: Snapshot, given: dict[str, str], room: int) -> bytes:
    """A page of the windows of all keys that begin between two times, by key and then by time, as JSON."""
    start, end = (_instant(store, name, given.get(name)) for name in ("from", "to"))
    try:
        span = window_scan.window_span(store.keys, start, end)
    except WrongType as error:
        raise Refusal(400, "wrong_type", f"store {store.name!r}: {error}", "GET /stores shows its keys") from None
    after = _cursor(store, given["after"]) if "after" in given else None
    reverse = _flag("reverse", given.get("reverse", "false"))
    rows = window_scan.scan(snapshot, store.name, span, after, reverse=reverse)
    found = ((_text(key), entry(store, key, value)) for key, value in rows)
    return _filled(found, _limit(given.get("limit", str(DEFAULT_LIMIT))), room)


def _filled(rows: Iterable[tuple[str, bytes]], limit: int, room: int) -> bytes:
    """Rows until there are enough, or they are too large together; one row is always there, so that pages go on."""
    found: list[bytes] = []
    last, following = "", None
    for cursor, row in rows:
        room -= len(row)
        if found and (len(found) == limit or room < 0):
            following = last
            break
        found.append(row)
        last = cursor
    return b'{"entries":[' + b",".join(found) + b'],"next":' + orjson.dumps(following) + b"}"


def values_of(found: list[bytes], asked: int, *, is_too_much: bool) -> bytes:
    """Values as JSON, and the number of the key to go on with, null at the end; what is too much stays behind."""
    if is_too_much and len(found) > 1:
        del found[-1]
    following = len(found) if len(found) < asked else None
    return b'{"values":[' + b",".join(found) + b'],"next":' + orjson.dumps(following) + b"}"


def entry(store: Store, key: bytes, value: bytes | None) -> bytes:
    """A key and its value as JSON; null if it was deleted."""
    return values.dumps({"key": store.keys.decode(key), "value": orjson.Fragment(value or b"null")})


def _version(held: versions.Version) -> bytes:
    return values.dumps({"from": held.since, "to": held.until, "value": orjson.Fragment(held.value or b"")})


def _limit(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= MAX_LIMIT:
        hint = "follow `next` with after= for more" if number > MAX_LIMIT else f"the default is {DEFAULT_LIMIT}"
        raise Refusal(400, "bad_limit", f"limit is a number from 1 to {MAX_LIMIT}; got {text[:40]!r}", hint)
    return number


def _cursor(store: Store, text: str) -> bytes:
    try:
        key = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
        store.keys.decode(key)
    except (binascii.Error, UnicodeEncodeError, WrongType):
        hint = "pass `next` of the page before, unchanged, or leave `after` out to start again"
        raise Refusal(400, "bad_cursor", f"after={text[:40]!r} is not a cursor of store {store.name!r}", hint) from None
    return key


def _text(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()
