"""Records in files: a directory with one file per topic, as examples and projects have them.

Lines of NAME.json are values; where they begin with no `{` or `[` they are `key|value`, for tables, and `key|`
deletes. Lines of NAME.txt are text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from holdfast.errors import HoldfastError
from holdfast.topics.records import Record


def data_files(directory: Path) -> list[Path]:
    """The files of a directory, those with keys first: they are tables."""
    files = sorted(each for each in directory.iterdir() if each.suffix in (".json", ".txt"))
    return sorted(files, key=lambda file: not has_keys(file))


def has_keys(file: Path) -> bool:
    """Whether its lines are `key|value`."""
    first = file.read_text().lstrip()
    return file.suffix == ".json" and not first.startswith(("{", "["))


def records_of(file: Path) -> Iterator[Record]:
    """The records of a file, for the topic that it is called after."""
    keyed = has_keys(file)
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip():
            continue
        key, found, value = line.partition("|") if keyed else ("", "|", line)
        if not found:
            raise HoldfastError(f"wanted key|value, got {line[:60]!r}", at=f"{file.name}:{number}")
        yield Record(file.stem, key.encode() if keyed else None, value.encode() if value else None)
