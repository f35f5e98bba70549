"""What to do about dead letters and late records, said once when the first of them are seen."""

from __future__ import annotations

import os
from collections.abc import Iterator

from holdfast.dsl.app import App
from holdfast.runtime.progress import Progress

_DEAD = "there are records that could not be processed (dead letters); which and why:"
_LATE = "there are records that came too late for {node}"
_COUNTED = "; they are only counted: a longer grace= takes them, late= keeps them in a topic"


class Hints:
    """Remembers what was said.

    >>> import holdfast as hf
    >>> hints = Hints(hf.App("shop"))
    >>> len(list(hints.new({"dead_letters": 2, "late": {}}))), list(hints.new({"dead_letters": 3, "late": {}}))
    (1, [])
    """

    def __init__(self, app: App, brokers: str = "") -> None:
        self._app = app
        self._at = f" --brokers {brokers}" if brokers else ""
        self._dead = False
        self._late: set[str] = set()

    def new(self, progress: Progress) -> Iterator[str]:
        """Give what was not said yet: one hint for dead letters, one for each node with late records."""
        if progress["dead_letters"] and not self._dead:
            self._dead = True
            yield f"{_DEAD}\n  holdfast dlq list {_file(self._app)}{self._at}"
        for node in sorted(progress["late"].keys() - self._late):
            self._late.add(node)
            yield self._about(node)

    def _about(self, node: str) -> str:
        kept = [each.late_topic for each in self._app.topology.nodes if each.id == node]
        said = _LATE.format(node=node)
        if not kept or not kept[0]:
            return said + _COUNTED
        return f"{said}; which:\n  holdfast topics consume {kept[0]} --from-beginning --json{self._at}"


def _file(app: App) -> str:
    return os.path.relpath(app.file) if app.file else "APP.py"
