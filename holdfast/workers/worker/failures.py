"""What is said of a function that failed."""

from __future__ import annotations

import traceback
from typing import Protocol

from holdfast.errors import StateRefused
from holdfast.workers.codec.column_encoder import WrongType


class Titled(Protocol):
    """What of the user's has run."""

    @property
    def title(self) -> str:
        """How errors call it."""


def failure(call: Titled, error: BaseException) -> str:
    """The function with its file and line, then what was wrong with its result, or its exception and the way to it."""
    if isinstance(error, WrongType):
        return f"{call.title}: {error}"
    if isinstance(error, StateRefused):
        return f"{call.title}: {error}{_where(error)}"
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    return f"{call.title}: {type(error).__name__}: {error}{notes}{_where(error)}"


def _where(error: BaseException) -> str:
    """The lines of the user's on the way to the error, outermost first."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "holdfast/workers" not in frame.filename.replace("\\", "/")]
    lines = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in own]
    return f" [{'; '.join(lines)}]" if lines else ""
