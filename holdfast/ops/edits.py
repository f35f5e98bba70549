"""Changes of dead letters before their replay: one value, a file of values, or a function of the user."""

from __future__ import annotations

import base64
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.ops.dlq import Edit
from holdfast.stores import exact_json
from holdfast.topics.letters import Letter, NodeInput


class EditError(HoldfastError):
    """An edit that cannot be understood."""


@dataclass(frozen=True)
class Editable:
    """A dead letter as a function gets it: key and value are text where they can be, else bytes."""

    key: str | bytes | None
    value: str | bytes | None
    reason: str
    node: str
    topic: str
    partition: int
    offset: int
    timestamp: int

    def json(self) -> Any:  # as of json.loads: the function knows what the value is
        """The value, read as JSON; a number that is left as it is keeps all of its digits."""
        return exact_json.loads(self.value or "null")


def unchanged(letter: Letter, seen: NodeInput) -> NodeInput:
    """No edit."""
    return seen


def to_value(key: str | None, value: str | None) -> Edit:
    """The same new key, value or both for whatever comes."""

    def edit(letter: Letter, seen: NodeInput) -> NodeInput:
        return NodeInput(
            seen.key if key is None else key.encode(),
            seen.value if value is None else value.encode(),
        )

    return edit


def from_file(file: Path, at_source: bool) -> tuple[frozenset[str], Edit]:
    """The letters in a file of JSON lines, as `dlq show --json` prints them, and an edit to what they are there."""
    lines: dict[str, NodeInput] = {}
    for number, text in enumerate(_lines(file), 1):
        if text.strip():
            name, seen = _line(text, f"{file}:{number}", at_source)
            lines[name] = seen
    return frozenset(lines), lambda letter, seen: lines.get(letter.id)


def from_function(where: str) -> Edit:
    """A function FILE:NAME that gets an `Editable` and gives the new value; None leaves the letter out."""
    function = _function(where)

    def edit(letter: Letter, seen: NodeInput) -> NodeInput | None:
        given = Editable(
            _text(seen.key), _text(seen.value), letter.reason, letter.node, letter.topic, letter.partition,
            letter.offset, letter.timestamp,
        )  # fmt: skip
        try:
            made = function(given)
            return None if made is None else NodeInput(seen.key, raw(made))
        except Exception as error:
            raise EditError(f"{where} failed on letter {letter.id}: {type(error).__name__}: {error}") from error

    return edit


def raw(value: object) -> bytes | None:
    """A value of JSON as bytes of a record: text as it is, {"base64": …} decoded, the rest written as JSON."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, Mapping) and value.keys() == {"base64"}:
        return base64.b64decode(value["base64"], validate=True)
    return exact_json.dumps(value)


def shown(content: bytes | None) -> str | dict[str, str] | None:
    """Bytes of a record as JSON can have them."""
    text = _text(content)
    return {"base64": base64.b64encode(text).decode()} if isinstance(text, bytes) else text


def _text(content: bytes | None) -> str | bytes | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().splitlines()
    except OSError as error:
        raise EditError(f"{file} cannot be read: {error.strerror}") from None


def _line(text: bytes, where: str, at_source: bool) -> tuple[str, NodeInput]:
    try:
        found = exact_json.loads(text)
        part = found["source"] if at_source else found
        return str(found["id"]), NodeInput(raw(part["key"]), raw(part["value"]))
    except (ValueError, KeyError, TypeError) as error:
        raise EditError(
            f"{where}: a line of `holdfast dlq show --json` was wanted, with id, key and value ({error!r})"
        ) from None


def _function(where: str) -> Callable[[Editable], object]:
    path, _, name = where.rpartition(":")
    file = Path(path)
    if not path or not file.is_file():
        raise EditError(f"{where!r} is not FILE.py:FUNCTION of a file that is there")
    spec = importlib.util.spec_from_file_location(f"holdfast_edit_{file.stem}", file.resolve())
    if spec is None or spec.loader is None:
        raise EditError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise EditError(f"{path}: {type(error).__name__}: {error}") from error
    found: object = getattr(module, name, None)
    if not callable(found):
        raise EditError(f"{path} has no function {name!r}")
    return found
