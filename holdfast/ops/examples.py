"""The examples that come with Holdfast, each with an app and its data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import holdfast
from holdfast.errors import HoldfastError
from holdfast.topics.admin import Topics
from holdfast.topics.names import did_you_mean
from holdfast.topics.records import Record, TopicSpec


@dataclass(frozen=True)
class Example:
    """A directory with NAME.py and, under data/, one file per topic; lines of tables are `key|value`."""

    directory: Path

    @property
    def app(self) -> Path:
        """The app file."""
        return self.directory / f"{self.directory.name}.py"

    @property
    def files(self) -> list[Path]:
        """The data, tables first: their file has keys."""
        files = sorted((self.directory / "data").glob("*.json"))
        return sorted(files, key=lambda file: not _keyed(file))


def find(name: str) -> Example:
    """Give an example by name."""
    there = {
        each.parent.name: each.parent
        for root in _roots()
        for each in root.glob("*/*.py")
        if each.stem == each.parent.name
    }
    if name not in there:
        raise HoldfastError(
            f"there is no example {name!r}{did_you_mean(name, there)}; there are: {', '.join(sorted(there))}"
        )
    return Example(there[name])


def _roots() -> Iterator[Path]:
    package = Path(holdfast.__file__).parent
    # In the wheel they lie in the package, in a checkout beside it.
    yield from (each for each in (package / "examples", package.parent / "examples") if each.is_dir())


def load_data(example: Example, topics: Topics) -> int:
    """Write the example's data to its topics, once: a topic that has records is left as it is."""
    written = 0
    for file in example.files:
        topics.ensure([TopicSpec(file.stem, compacted=True) if _keyed(file) else TopicSpec(file.stem)])
        if not topics.size(file.stem):
            written += topics.produce(list(_records(file)))
    return written


def _keyed(file: Path) -> bool:
    first = file.read_text().lstrip()
    return not first.startswith(("{", "["))


def _records(file: Path) -> Iterator[Record]:
    keyed = _keyed(file)
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip():
            continue
        key, found, value = line.partition("|") if keyed else ("", "|", line)
        if not found:
            raise HoldfastError(f"wanted key|value, got {line[:60]!r}", at=f"{file.name}:{number}")
        yield Record(file.stem, key.encode() if keyed else None, value.encode())
