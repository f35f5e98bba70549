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
from holdfast.topics.data_files import data_files, has_keys, records_of
from holdfast.topics.records import Record, TopicSpec


@dataclass(frozen=True)
class Example:
    """A directory with NAME.py or app.py and, under data/, one file per topic."""

    directory: Path

    @property
    def app(self) -> Path:
        """The app file."""
        named = self.directory / f"{self.directory.name}.py"
        return named if named.exists() else self.directory / "app.py"

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
        return data_files(self.directory / "data")

    def records(self) -> Iterator[Record]:
        """The data as records, tables first."""
        return (record for file in self.files for record in records_of(file))


def known() -> dict[str, Example]:
    """Give all examples by name."""
    files = (each for root in _roots() for each in root.glob("*/*.py") if each.stem == each.parent.name)
    return {each.stem: Example(each.parent) for each in sorted(files)}


def find(name: str) -> Example:
    """Give an example by name, or the one in a directory of that name."""
    there = known()
    if name in there:
        return there[name]
    own = Example(Path(name).absolute())
    if own.app.is_file() and (own.directory / "data").is_dir():
        return own
    raise HoldfastError(
        f"there is no example {name!r}{did_you_mean(name, there)}; there are: {', '.join(sorted(there))}; or name a "
        "directory with app.py and data/, as `holdfast new` makes one"
    )


def _roots() -> Iterator[Path]:
    package = Path(holdfast.__file__).parent
    # In the wheel they lie in the package, in a checkout next to it.
    yield from (each for each in (package / "examples", package.parent / "examples") if each.is_dir())


def load_data(example: Example, topics: Topics) -> int:
    """Write the example's data to its topics, once: a topic that has records is left as it is."""
    written = 0
    for file in example.files:
        topics.ensure([TopicSpec(file.stem, compacted=True) if has_keys(file) else TopicSpec(file.stem)])
        if not topics.size(file.stem):
            written += topics.produce(list(records_of(file)))
    return written
