"""The reasons of failed calls, for dead letters."""

from __future__ import annotations

import traceback
from typing import Protocol

from holdfast.errors import StateRefused
from holdfast.workers.codec.column_encoder import WrongType

RAISED = (Exception, SystemExit)
"""What a function may raise for a record. That with `sys.exit()` it would end the process is meant for programs."""
_LONGEST = 1_000
_FEW = 5


class HasTitle(Protocol):
    """A function or a processor of the user, with a title for errors."""

    @property
    def title(self) -> str:
        """How errors call it."""


def failure_reason(call: HasTitle, error: BaseException) -> str:
    """The function with its file and line, then what was wrong with its result, or its exception and the way to it."""
    if isinstance(error, WrongType):
        return f"{call.title}: {message_of(error)}"
    if isinstance(error, StateRefused):
        return f"{call.title}: {message_of(error)}{_user_frames(error)}"
    notes = "".join(f" ({_encodable(str(note))})" for note in getattr(error, "__notes__", ()))
    return f"{call.title}: {type(error).__name__}: {message_of(error)}{notes}{_user_frames(error)}"


def message_of(error: BaseException) -> str:
    """The message of an exception as it can be written anywhere: records are in it, of any size and with any letters.

    >>> message_of(ValueError("\\ud800"))
    '\\\\ud800'
    """
    try:
        return _encodable(str(error))
    except Exception as wrong:
        return f"(its message cannot be made: {type(wrong).__name__})"


def _encodable(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return short.encode(errors="backslashreplace").decode()


def _user_frames(error: BaseException) -> str:
    """The lines of the user's on the way to the error, outermost first; of very many the first and the last."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "holdfast/workers" not in frame.filename.replace("\\", "/")]
    lines = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in own]
    if len(lines) > 2 * _FEW:
        lines = [*lines[:_FEW], "…", *lines[-_FEW:]]
    return f" [{'; '.join(lines)}]" if lines else ""
