"""Replays of dead letters in a test."""

from __future__ import annotations

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.errors import HoldfastError
from holdfast.testing import bytes as raw
from holdfast.testing.records import DeadLetter
from holdfast.topics import letters
from holdfast.topics.records import Record
from holdfast.topology import reentry
from holdfast.topology.sources import Source

SAME: object = ...
"""Stands for what the letter has."""


class Replays:
    """Makes records of dead letters, each letter once."""

    def __init__(self, app: App, types: Document) -> None:
        self._app = app
        self._types = types
        self._done: set[bytes] = set()

    def records(self, dead: DeadLetter, value: object, key: object, at: str) -> list[Document]:
        """What to put into the replay topic: nothing if the letter was there before."""
        if at not in ("node", "source"):
            raise HoldfastError(f'replay: at= must be "node" or "source", not {at!r}')
        letter, topology = _letter(dead), self._app.topology
        node, sent = reentry.entry(topology, letter, at_source=at == "source")
        identity = letter.identity()
        if identity in self._done:
            return []
        self._done.add(identity)
        changed = letters.NodeInput(*(self._encoded(node, letter, *pair) for pair in (("key", key), ("value", value))))
        sent = letters.NodeInput(
            sent.key if key is SAME else changed.key,
            sent.value if value is SAME else changed.value,
        )
        return [_piped(letter.replayed(self._app.name, identity, sent, node))]

    def _encoded(self, node: str, letter: letters.Letter, which: str, given: object) -> bytes | None:
        if given is SAME or given is None:
            return None
        found = next(n for n in self._app.topology.nodes if n.id == node)
        if isinstance(found, Source):
            declared = found.key if which == "key" else found.value
            return raw.encode(declared.to_json(), given, f"replay({which}=)")
        serde = raw.default_serde(self._types["nodes"][found.inputs[letter.port].id][which])
        return raw.encode(serde, given, f"replay({which}=)")


def _letter(dead: DeadLetter) -> letters.Letter:
    record = dead.record
    found = letters.letter(
        Record("", record.key, record.value, record.milliseconds, record.all_headers, 0, dead.number)
    )
    if found is None:
        raise HoldfastError("replay: a letter of d.dead_letters() was wanted")
    return found


def _piped(record: Record) -> Document:
    return {
        "topic": record.topic,
        "partition": 0,
        "timestamp": record.timestamp,
        "key": raw.text(record.key),
        "value": raw.text(record.value),
        "headers": raw.headers(record.headers),
    }
