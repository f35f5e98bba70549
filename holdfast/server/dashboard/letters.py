"""The last dead letters of an app, grouped by reason, each with the record that was refused."""

from __future__ import annotations

from collections import deque

from holdfast.documents import Document
from holdfast.topics.letter_reasons import general_reason
from holdfast.topics.letters import Letter, letter
from holdfast.topics.records import Record

MOST = 500
_SAMPLES = 5
_TEXT = 4_000
_HEADERS = 20


class RecentLetters:
    """Some hundred letters, the last ones."""

    def __init__(self) -> None:
        self._letters: deque[Letter] = deque(maxlen=MOST)

    def add(self, record: Record) -> None:
        """Take a record of the dead-letter topic; what the app did not write is passed over."""
        found = letter(record)
        if found is not None:
            self._letters.append(found)

    def clear(self) -> None:
        """Drop them: the topic is read again from its beginning."""
        self._letters.clear()

    def groups(self) -> list[Document]:
        """By reason, node and topic, the largest first; each with its last letters."""
        found: dict[tuple[str, str, str], list[Letter]] = {}
        for each in tuple(self._letters):
            found.setdefault((general_reason(each.reason), each.node, each.topic), []).append(each)
        ordered = sorted(found.items(), key=lambda item: -len(item[1]))
        return [_group(*kind, letters) for kind, letters in ordered]


def _group(reason: str, node: str, topic: str, letters: list[Letter]) -> Document:
    times = [each.time for each in letters]
    last = sorted(letters, key=lambda each: each.time)[-_SAMPLES:]
    return {
        "reason": reason, "node": node, "topic": topic, "at": letters[-1].at, "count": len(letters),
        "first": min(times), "last": max(times), "letters": [_shown(each) for each in reversed(last)],
    }  # fmt: skip


def _shown(each: Letter) -> Document:
    seen = each.seen and {"key": _text(each.seen.key), "value": _text(each.seen.value)}
    headers = [[name, _text(value)] for name, value in each.headers[:_HEADERS]]
    return {
        "id": each.id, "topic": each.topic, "partition": each.partition, "offset": each.offset, "time": each.time,
        "timestamp": each.timestamp, "reason": each.reason[:_TEXT], "key": _text(each.key), "value": _text(each.value),
        "headers": headers, "seen": seen, "gone": each.gone, "elsewhere": each.elsewhere,
    }  # fmt: skip


def _text(data: bytes | None) -> str | None:
    """Bytes as people read them, cut where they become too many."""
    return None if data is None else data[:_TEXT].decode(errors="replace") + ("…" if len(data) > _TEXT else "")
