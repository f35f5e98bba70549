"""Positions in the user's file: file and line."""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType, FrameType

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


_written: ContextVar[str | None] = ContextVar("holdfast_written", default=None)


@contextmanager
def written_at(position: str | None) -> Iterator[None]:
    """While a lambda's result is looked at, its line is the one to name: the lambda itself has returned."""
    token = _written.set(position)
    try:
        yield
    finally:
        _written.reset(token)


def user_frame() -> FrameType | None:
    """The nearest frame that is not Holdfast's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def user_position() -> str:
    """file:line of the nearest frame that is not Holdfast's."""
    written = _written.get()
    if written is not None:
        return written
    frame = user_frame()
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}" if frame else "<unknown>"


def user_operation() -> str:
    """The name of the bytecode that the user's frame is at."""
    frame = user_frame()
    steps = dis.get_instructions(frame.f_code) if frame else iter(())
    return next((each.opname for each in steps if frame and each.offset == frame.f_lasti), "")


def code_position(code: CodeType) -> str:
    """file:line of a function."""
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def _is_ours(filename: str) -> bool:
    """Frames like those of a generated dataclass `__init__` have no file of their own."""
    return filename.startswith((_PACKAGE, "<frozen")) or filename == "<string>"
