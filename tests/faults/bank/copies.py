"""Copies of an app's checkpoint, as a backup has them."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

MOST = 3


class Copies:
    """The last copies of a directory, of different age."""

    def __init__(self, place: Path, app: Path) -> None:
        self._place = place
        self._app = app
        self._taken = 0

    def take(self) -> None:
        """Copy what there is now, and throw the oldest away."""
        self._taken += 1
        shutil.copytree(self._app, self._copy(self._taken))
        shutil.rmtree(self._copy(self._taken - MOST), ignore_errors=True)

    def put_back(self, chance: random.Random) -> str:
        """Put a copy in the place of what there is, as a rule the newest; gives which one, and what of it."""
        number = self._taken if chance.random() < 2 / 3 else chance.randint(max(1, self._taken - MOST + 1), self._taken)
        part = chance.choice(["checkpoint", "."])
        shutil.rmtree(self._app / part)
        shutil.copytree(self._copy(number) / part, self._app / part)
        return f"{'all files' if part == '.' else part} of copy {number} of {self._taken}"

    def _copy(self, number: int) -> Path:
        return self._place / str(number)
