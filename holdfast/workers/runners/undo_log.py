"""Taking back what was done for a record that failed."""

from __future__ import annotations

from collections.abc import Callable


class UndoLog:
    """How to take back what was done, the last first."""

    def __init__(self) -> None:
        self._steps: list[tuple[Callable[..., object], tuple[object, ...]]] = []

    def add(self, step: Callable[..., object], *arguments: object) -> None:
        """Note how one thing is taken back."""
        self._steps.append((step, arguments))

    def keep(self) -> None:
        """All is well: nothing will be taken back."""
        self._steps.clear()

    def all(self) -> None:
        """Take everything back."""
        while self._steps:
            step, arguments = self._steps.pop()
            step(*arguments)
