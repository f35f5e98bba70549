"""Power loss: what was written since the app started and not synced is lost, or is there in part."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

from tests.faults.bank.disk import NotPossible

SOURCE = Path(__file__).parents[1] / "synced_files.c"
# Nobody needs them after a crash.
SPARED = ("logs", "run.lock")


class Power:
    """What of an app's directory is on the disk for certain."""

    def __init__(self, home: Path, app: Path) -> None:
        self.app = app
        self._journal = home / "synced"
        self._library = home / "synced_files.so"
        self._before: dict[Path, tuple[int, int]] = {}
        compiler = shutil.which("cc")
        if compiler is not None:
            subprocess.run([compiler, "-shared", "-fPIC", "-o", self._library, SOURCE, "-ldl"], check=True)

    def environment(self) -> dict[str, str]:
        """What a process needs so that its syncs are noted; empty where that is not possible."""
        if not self._library.exists():
            return {}
        names = {"SYNCED_FILES": self._journal, "SYNCED_ROOT": self.app, "LD_PRELOAD": self._library}
        return {name: str(path) for name, path in names.items()}

    def on(self) -> None:
        """The app is about to start: what is there now is on the disk."""
        self._journal.unlink(missing_ok=True)
        self._before = {path: _identity(path) for path in self._files()}

    def off(self, chance: random.Random) -> list[Path]:
        """The app's processes have been killed: lose what may be lost, as chance has it, and give that."""
        if not self._library.exists():
            raise NotPossible("which files were synced is found out by a small library in C: here is no compiler")
        sizes, entries = self._synced()
        return [path for path in self._files() if path.exists() and self._lose(path, sizes, entries, chance)]

    def _files(self) -> list[Path]:
        """Files and directories, what contains others first."""
        found = [path for path in self.app.rglob("*") if path.relative_to(self.app).parts[0] not in SPARED]
        return sorted(found)

    def _synced(self) -> tuple[dict[int, int], set[tuple[Path, int]]]:
        """The sizes of files by inode when they were synced last, and the entries of directories that were synced."""
        sizes: dict[int, int] = {}
        entries: set[tuple[Path, int]] = set()
        directory = self.app
        lines = self._journal.read_text().splitlines() if self._journal.exists() else []
        for kind, _, rest in (line.partition(" ") for line in lines):
            number, _, name = rest.partition(" ")
            if kind == "f":
                sizes[int(number)] = int(name)
            elif kind == "d":
                directory = Path(rest)
            elif kind == "e":
                entries.add((directory / name, int(number)))
        return sizes, entries

    def _lose(self, path: Path, sizes: dict[int, int], entries: set[tuple[Path, int]], chance: random.Random) -> bool:
        """Whether it was lost: its entry, its content, or the end of it."""
        found = path.stat()
        has_entry = path in self._before or (path, found.st_ino) in entries  # a name that was there stays there
        untouched = self._before.get(path) == _identity(path)
        has_content = path.is_dir() or untouched or sizes.get(found.st_ino) == found.st_size
        fates = ["kept"]
        if not has_entry:
            fates.append("gone")
        if not has_content:
            fates += ["empty", "half"]
        fate = chance.choice(fates)
        if fate == "gone":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif fate != "kept":
            os.truncate(path, 0 if fate == "empty" else found.st_size // 2)
        return fate != "kept"


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns
