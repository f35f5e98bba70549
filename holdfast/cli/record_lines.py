"""Records from lines of text: `key|value`."""

from collections.abc import Iterable, Iterator

from holdfast.errors import HoldfastError
from holdfast.topics.records import Record


def read_records(
    lines: Iterable[bytes], topic: str, name: str, separator: str | None = None, null_marker: str | None = None
) -> Iterator[Record]:
    """Give a record per line; blank lines are passed over, and a line without the separator is an error."""
    mark = separator.encode() if separator else None
    null = null_marker.encode() if null_marker is not None else None
    for number, line in enumerate(lines, 1):
        text = line.rstrip(b"\r\n")
        if not text.strip():
            continue
        key, value = _split(text, mark, f"{name}:{number}")
        yield Record(topic, key, None if value == null else value)


def _split(text: bytes, mark: bytes | None, at: str) -> tuple[bytes | None, bytes]:
    if mark is None:
        return None, text
    key, found, value = text.partition(mark)
    if not found:
        shown = text[:60].decode(errors="replace")
        raise HoldfastError(f"wanted key{mark.decode()}value, got {shown!r}; is --key-separator right?", at=at)
    return key, value
