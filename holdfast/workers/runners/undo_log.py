"""The undo log: rolls back the effects of a record that failed."""

from __future__ import annotations

from collections.abc import Callable


class UndoLog:
    """The steps that roll back a record, the last first."""

    def __init__(self) -> None:
        self._steps: list[tuple[Callable[..., object], tuple[object, ...]]] = []

    def add(self, step: Callable[..., object], *arguments: object) -> None:
        """Note how one thing is undone."""
        self._steps.append((step, arguments))

    def commit(self) -> None:
        """All is well: nothing will be undone."""
        self._steps.clear()

    def roll_back(self) -> None:
        """Undo everything."""
        while self._steps:
            step, arguments = self._steps.pop()
            step(*arguments)
