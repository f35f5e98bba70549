"""Atomic writes of files that survive a loss of power."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.private_files import make_directory, open_private


def write(path: Path, text: str) -> None:
    """Write a file and make its bytes, its name and the directories above it survive a loss of power."""
    made = _missing(path.parent)
    make_directory(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with open_private(draft, "wb") as file:
        file.write(text.encode())
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
