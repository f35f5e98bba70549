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
    fields = _fields(body, of)
    if fields.get(KEY) is None:
        raise Refusal(400, "missing_parameter", "the body has no key", f'send {{"key": …}}; keys are {words(of)}')
    return fields[KEY]


def keys(body: bytes, of: DataType) -> list[object]:
    """The keys that a body asks for, as JSON."""
    asked = _fields(body, of).get(KEYS)
    if not isinstance(asked, list):
        hint = f'send {{"keys": [ … ]}}; keys are {words(of)}'
        raise Refusal(400, "missing_parameter", "the body has no list of keys", hint)
    if len(asked) > MAX_KEYS:
        raise Refusal(400, "bad_parameter", f"{len(asked)} keys are too many", f"ask for at most {MAX_KEYS} at once")
    return asked


def parameters(body: bytes) -> list[tuple[str, str]]:
    """The fields of a body as a query string would have them, but for keys, which are anything."""
    return [(name, "" if name in (KEY, KEYS) else _text(name, value)) for name, value in _fields(body).items()]


def _fields(body: bytes, of: DataType = STRING) -> Document:
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
