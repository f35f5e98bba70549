"""Files and directories that only this user may read, whatever the umask is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, Literal, TextIO, overload

from holdfast.errors import SettingsError

UMASK = 0o077
_OTHERS = 0o077
_OTHERS_WRITE = 0o022


@overload
def open_private(path: Path, mode: Literal["w", "a+"] = "w") -> TextIO: ...
@overload
def open_private(path: Path, mode: Literal["wb", "ab"]) -> BinaryIO: ...
def open_private(path: Path, mode: str = "w") -> IO[str] | IO[bytes]:
    """Open a file as `open` does; one that is made by it is ours alone."""
    return open(path, mode, opener=lambda name, flags: os.open(name, flags | os.O_CLOEXEC, 0o600))


def write_private(path: Path, text: str) -> None:
    """Write a text as `Path.write_text` does; others may not read it, also when the file was there and they could."""
    with open_private(path) as file:
        if os.fstat(file.fileno()).st_mode & _OTHERS:
            os.fchmod(file.fileno(), 0o600)
        file.write(text)


def private_directory(path: Path, way_out: str, tightened: Callable[[], None] = lambda: None) -> Path:
    """Make a directory, and what is missing above it, for this user alone; `way_out` ends the refusal of another's.

    One that is there loses the rights of others; `tightened` is called if they could have written to it. One of root's
    may be used if only root can write to it.
    """
    path = path.absolute()
    _refuse_above(path.parent, way_out)
    make_directory(path)
    found = path.stat()
    if found.st_uid != os.geteuid():
        if found.st_uid != 0 or found.st_mode & _OTHERS_WRITE:
            raise SettingsError(_foreign(path, found.st_uid, way_out))
        return path
    if found.st_mode & _OTHERS:
        path.chmod(0o700)
    if found.st_mode & _OTHERS_WRITE:
        tightened()
    return path


def make_directory(path: Path) -> None:
    """Make a directory and what is missing above it, for this user alone; one that is there stays as it is."""
    for missing in reversed([each for each in (path, *path.parents) if not each.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def is_own(path: Path) -> bool:
    """Whether a file or directory belongs to this user."""
    return path.stat().st_uid == os.geteuid()


def _refuse_above(parent: Path, way_out: str) -> None:
    """Refuse a directory above that belongs to another user, who could replace ours; root may own it."""
    owner = parent.stat().st_uid if parent.exists() else 0
    if owner not in (os.geteuid(), 0):
        raise SettingsError(_foreign(parent, owner, way_out))


def _foreign(path: Path, owner: int, way_out: str) -> str:
    return (
        f"{path} belongs to the user {owner}, who could change what lies there, and this is {os.geteuid()}: {way_out}"
    )


def current_umask() -> int:
    """The umask of this process; on Linux it can be asked for without being set for a moment."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("Umask:")), 8)
    except (OSError, StopIteration):
        before = os.umask(UMASK)
        os.umask(before)
        return before
