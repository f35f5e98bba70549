"""Build the site: `python tools/build_site.py` writes site/ and fails for a dead link, page or anchor."""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STAGED = ROOT / "build" / "docs"
CONFIG = ROOT / "zensical.toml"
# Pages that lie elsewhere, and where they are in the site.
OTHERS = {"CONTRIBUTING.md": "internals/contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
PROGRAMS = "tutorial/programs"
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?=[#)])")
FENCE = "```"


class DeadLink(Exception):
    """A page names a file that is neither there nor a part of the site."""


def stage(target: Path = STAGED) -> None:
    """Put all pages and pictures into one directory, with links that hold there."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    programs: set[Path] = set()
    for source in [*ROOT.glob("docs/**/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        page = target / place(source)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(relinked(source, programs))
    for program in sorted(programs):
        page = target / place(program)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(program_page(program))


def place(source: Path) -> str:
    """Where a file of the project is in the site."""
    name = source.relative_to(ROOT).as_posix()
    if name.startswith("docs/"):
        return name.removeprefix("docs/")
    if name.startswith("examples/") and source.suffix == ".py":
        return f"{PROGRAMS}/{source.stem}.md"
    if name in OTHERS:
        return OTHERS[name]
    raise DeadLink(f"{name} is not a part of the site")


def relinked(source: Path, programs: set[Path]) -> str:
    """The text of a page, whose links to other files of the project lead to their places in the site."""
    inside, lines = False, []
    for number, line in enumerate(source.read_text().splitlines(), 1):
        inside ^= line.startswith(FENCE)
        try:
            lines.append(line if inside else LINK.sub(lambda found: moved(source, found[1], programs), line))
        except DeadLink as error:
            raise DeadLink(f"{source.relative_to(ROOT)}:{number}: {error}") from None
    return "\n".join(lines) + "\n"


def moved(source: Path, link: str, programs: set[Path]) -> str:
    """A link of a page as it is in the site."""
    if "://" in link:
        return link
    linked = (source.parent / link).resolve()
    if not linked.exists():
        raise DeadLink(f"{link} is not there")
    if linked.suffix == ".py":
        programs.add(linked)
    return relative(place(linked), place(source))


def relative(page: str, seen_from: str) -> str:
    """The path from one page to another."""
    return posixpath.relpath(f"/{page}", posixpath.dirname(f"/{seen_from}"))


def program_page(program: Path) -> str:
    """A page with an example's code."""
    return f"# {program.stem}\n\n{FENCE}python\n{program.read_text().rstrip()}\n{FENCE}\n"


def navigation() -> list[str]:
    """The pages that the navigation of the site names."""
    return list(_pages(tomllib.loads(CONFIG.read_text())["project"]["nav"]))


def _pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from _pages(each)


def build() -> int:
    """Build the site from the staged pages; warnings are errors."""
    shutil.rmtree(ROOT / "site", ignore_errors=True)
    options = ["--clean", "--strict", "--config-file", str(CONFIG)]
    command = [sys.executable, "-m", "zensical", "build", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).partition("Traceback")[0]
    print(said, end="")
    return done.returncode


if __name__ == "__main__":
    try:
        stage()
    except DeadLink as error:
        sys.exit(str(error))
    sys.exit(build())
