"""The body of a POST that reads a store: keys and cursors that are too long for an address."""

from __future__ import annotations

from holdfast.documents import Document
from holdfast.server.responses import Refusal
from holdfast.stores import values
from holdfast.stores.types import shown, words
from holdfast.types import STRING, DataType

KEY = "key"
KEYS = "keys"
MAX_KEYS = 10_000


def key(body: bytes, of: DataType) -> object:
    """The key that a body asks for, as JSON."""
    asked = fields(body, of).get(KEY)
    if asked is None:
        raise Refusal(400, "missing_parameter", "the body has no key", f'send {{"key": …}}; keys are {words(of)}')
    return asked


def keys(fields: Document, of: DataType) -> list[object]:
    """The keys that the fields of a body ask for, as JSON."""
    asked = fields.get(KEYS)
    if not isinstance(asked, list):
        hint = f'send {{"keys": [ … ]}}; keys are {words(of)}'
        raise Refusal(400, "missing_parameter", "the body has no list of keys", hint)
    if len(asked) > MAX_KEYS:
        raise Refusal(400, "bad_parameter", f"{len(asked)} keys are too many", f"ask for at most {MAX_KEYS} at once")
    return asked


def parameters(body: bytes) -> list[tuple[str, str]]:
    """The fields of a body as a query string would have them, but for keys, which are anything."""
    return named(fields(body))


def named(fields: Document) -> list[tuple[str, str]]:
    """Fields as a query string would have them, but for keys."""
    return [(name, "" if name in (KEY, KEYS) else _text(name, value)) for name, value in fields.items()]


def fields(body: bytes, of: DataType = STRING) -> Document:
    """A body, which is a JSON object; keys of the type are exact in it."""
    hint = 'send a JSON object such as {"key": …}'
    try:
        parsed = values.parser(of)(body)
    except ValueError as error:
        raise Refusal(400, "bad_body", f"the body is not JSON: {str(error)[:200]}", hint) from None
    if not isinstance(parsed, dict):
        raise Refusal(400, "bad_body", f"wanted a JSON object; got {shown(parsed)}", hint)
    return parsed


def _text(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Refusal(400, "bad_parameter", f"{name}: wanted text or a number; got {shown(value)}", "write it as text")
    return str(value)
