"""The examples that come with Holdfast, each with an app and its data."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import holdfast
from holdfast.errors import HoldfastError
from holdfast.names import did_you_mean
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec


@dataclass(frozen=True)
class Example:
    """A directory with NAME.py and, under data/, one file per topic.

    Lines of NAME.json are values; where they begin with no `{` or `[` they are `key|value`, for tables, and `key|`
    deletes. Lines of NAME.txt are text.
    """

    directory: Path

    @property
    def app(self) -> Path:
        """The app file."""
        return self.directory / f"{self.directory.name}.py"

    @property
    def about(self) -> str:
        """The first line of what the app says of itself."""
        return self._docstring.partition("\n")[0]

    @property
    def commands(self) -> list[str]:
        """What the app says one may try: the indented lines."""
        return [line.strip() for line in self._docstring.splitlines() if line.startswith("    ")]

    @property
    def _docstring(self) -> str:
        return ast.get_docstring(ast.parse(self.app.read_text()), clean=False) or ""

    @property
    def files(self) -> list[Path]:
        """The data, tables first: their file has keys."""
        files = sorted(each for each in (self.directory / "data").iterdir() if each.suffix in (".json", ".txt"))
        return sorted(files, key=lambda file: not _keyed(file))

    def records(self) -> Iterator[Record]:
        """The data as records, tables first."""
        return (record for file in self.files for record in _records(file))


def known() -> dict[str, Example]:
    """Give all examples by name."""
    files = (each for root in _roots() for each in root.glob("*/*.py") if each.stem == each.parent.name)
    return {each.stem: Example(each.parent) for each in sorted(files)}


def find(name: str) -> Example:
    """Give an example by name."""
    there = known()
    if name not in there:
        raise HoldfastError(
            f"there is no example {name!r}{did_you_mean(name, there)}; there are: {', '.join(sorted(there))}"
        )
    return there[name]


def _roots() -> Iterator[Path]:
    package = Path(holdfast.__file__).parent
    # In the wheel they lie in the package, in a checkout next to it.
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
    return file.suffix == ".json" and not first.startswith(("{", "["))


def _records(file: Path) -> Iterator[Record]:
    keyed = _keyed(file)
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip():
            continue
        key, found, value = line.partition("|") if keyed else ("", "|", line)
        if not found:
            raise HoldfastError(f"wanted key|value, got {line[:60]!r}", at=f"{file.name}:{number}")
        yield Record(file.stem, key.encode() if keyed else None, value.encode() if value else None)
