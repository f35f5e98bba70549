"""The pages of the documentation, and the fenced blocks in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
GENERATED = {REFERENCE / "api.md", REFERENCE / "commands.md"}
WRITTEN = [page for page in PAGES if page not in GENERATED]
FENCE = "```"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it, its text and the line where that begins."""

    page: Path
    line: int
    language: str
    marks: tuple[str, ...]
    text: str

    @property
    def at(self) -> str:
        """Where it stands."""
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    """The page as seen from the root of the project."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in some languages, or all of them."""
    return [block for block in _blocks(page) if not languages or block.language in languages]


def _blocks(page: Path) -> Iterator[Block]:
    opened: tuple[int, list[str]] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if not line.startswith(FENCE):
            lines.append(line)
        elif opened is None:
            opened, lines = (number + 1, line.removeprefix(FENCE).split()), []
        else:
            first, (language, *marks) = opened
            yield Block(page, first, language, tuple(marks), "\n".join(lines))
            opened = None
    assert opened is None, f"{name_of(page)}: a block is not closed"


def prose(page: Path) -> list[tuple[int, str]]:
    """The lines of a page that are not in a block, with their numbers."""
    inside, found = False, []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith(FENCE):
            inside = not inside
        elif not inside:
            found.append((number, line))
    return found


def text_of(pages: list[Path]) -> str:
    """Several pages as one text."""
    return "\n".join(page.read_text() for page in pages)
