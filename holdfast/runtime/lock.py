"""The lock of a state directory: two queries on one checkpoint would corrupt it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from holdfast.errors import AlreadyRuns, SettingsError
from holdfast.private_files import open_private, private_directory

_held: dict[Path, Lock] = {}


@dataclass(eq=False)
class Lock:
    """An app's directory that this process has taken."""

    directory: Path
    file: IO[str] = field(repr=False)
    in_use: Callable[[], bool] = lambda: True
    """Whether the app still runs; one that has ended by itself lets the next start have its directory."""

    def release(self) -> None:
        """Let another process run the app, unless a later start of this one has taken the directory over."""
        if _held.get(self.directory) is self:
            del _held[self.directory]
            self.file.close()


def hold(directory: Path, app: str) -> Lock:
    """Take the app's directory for this process, or say which process has it."""
    directory = directory.absolute()
    if (before := _held.get(directory)) is None:
        lock = Lock(directory, _locked(directory, app))
    elif before.in_use():
        raise _refusal(f"in this process, {os.getpid()}", directory, app)
    else:
        lock = Lock(directory, before.file)
    _held[directory] = lock
    return lock


def _locked(directory: Path, app: str) -> IO[str]:
    try:
        private_directory(directory, "choose another with --state-dir or HOLDFAST_STATE_DIR")
        file = open_private(directory / "run.lock", "a+")
    except OSError as problem:
        raise SettingsError(
            f"cannot write the state directory {directory}: {problem.strerror}; make it writable, or choose another "
            "with --state-dir or HOLDFAST_STATE_DIR"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _refusal(_owner(file), directory, app) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def _owner(file: IO[str]) -> str:
    with file:
        file.seek(0)
        owner = file.read().strip()
    return f"in process {owner}" if owner else ""


def _refusal(where: str, directory: Path, app: str) -> AlreadyRuns:
    return AlreadyRuns(
        f"app {app!r} already runs{where and ' '}{where}, with its state in {directory}; stop that one first, or give "
        "this one a name and a --state-dir of its own"
    )
