"""Files that are whole or not there, also after a loss of power."""

from __future__ import annotations

import os
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file and make its bytes, its name and the directories above it survive a loss of power."""
    made = _missing(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    for directory in (path.parent, *(each.parent for each in made)):
        _sync(directory)


def _missing(directory: Path) -> list[Path]:
    return [each for each in (directory, *directory.parents) if not each.exists()]


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
