"""One process per app and state directory: two queries on one checkpoint would spoil each other's work."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

from holdfast.errors import AlreadyRuns, SettingsError

_held: dict[Path, IO[str]] = {}


def hold(directory: Path, app: str) -> None:
    """Take the app's directory for this process, or say which process has it; taking it twice is taking it once."""
    directory = directory.absolute()
    if directory in _held:
        return
    try:
        directory.mkdir(parents=True, exist_ok=True)
        file = (directory / "run.lock").open("a+")
    except OSError as problem:
        raise SettingsError(
            f"cannot write the state directory {directory}: {problem.strerror}; make it writable, or choose another "
            "with --state-dir or HOLDFAST_STATE_DIR"
        ) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _refusal(file, directory, app) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    _held[directory] = file


def release(directory: Path) -> None:
    """Let another process run the app."""
    file = _held.pop(directory.absolute(), None)
    if file is not None:
        file.close()


def _refusal(file: IO[str], directory: Path, app: str) -> AlreadyRuns:
    file.seek(0)
    owner = file.read().strip()
    file.close()
    by = f" in process {owner}" if owner else ""
    return AlreadyRuns(
        f"app {app!r} already runs{by}, with its state in {directory}; stop that one first, or give this one a name "
        "and a --state-dir of its own"
    )
