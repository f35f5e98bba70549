"""What `holdfast run` shows on a terminal: a row per topic, and what is late, dead and taken of memory."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from holdfast.cli.catching_up import CatchingUp, TopicRow
from holdfast.cli.output import readable
from holdfast.cli.progress_line import duration_text, rate_text
from holdfast.cli.rates import Rates
from holdfast.runtime.progress import Progress

_IDLE_AFTER = 2.0
_OTHER_LINES = 6
_NODES = 3
_NARROW = 60
_BAR = 24


class LiveView:
    """Is drawn again with each report."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates = Rates(clock)
        self._catching_up = CatchingUp(self._rates)
        self._rows: list[TopicRow] = []
        self._head: Text = Text("waiting for records")
        self._lost = Text("")

    def update(self, progress: Progress, busy: bool, memory: int | None = None) -> None:
        """Take a report; `memory` is what the processes of the app have, in bytes."""
        self._rates.look(progress)
        self._rows = self._catching_up.rows(progress)
        self._head = Text(
            "   ".join(self._about(progress, busy, memory)), style="bold", overflow="ellipsis", no_wrap=True
        )
        self._lost = Text("   ".join([*_dead(progress), *_late(progress)]), overflow="ellipsis", no_wrap=True)

    def _about(self, progress: Progress, busy: bool, memory: int | None) -> list[str]:
        taken = [] if memory is None else [f"memory {memory / 1e9:.1f} GB"]
        if progress["epoch"] is None:
            return ["working on the first batch" if busy else "waiting for records", *taken]
        if self._rates.quiet < _IDLE_AFTER:
            does = f"batch {self._rates.batch_ms:,} ms"
        else:
            does = "working" if busy else f"idle for {duration_text(self._rates.quiet)}"
        frames = [] if progress["topics"] or not progress["rate"] else [f"DataFrames {rate_text(progress['rate'])}"]
        return [f"epoch {progress['epoch']}", does, *frames, *taken]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        most = max(1, (options.height or console.height) - _OTHER_LINES)
        shown, rest = self._rows[:most], len(self._rows) - most
        more = [Text(f"and {rest} more topics")] if rest > 0 else []
        yield Group(self._head, *([_table(shown, options.max_width)] if shown else []), *more, self._lost)


def _table(rows: list[TopicRow], width: int) -> Table:
    catching_up = any(row.share is not None for row in rows)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("topic", no_wrap=True, overflow="ellipsis")
    table.add_column("rate", justify="right", no_wrap=True)
    table.add_column("behind", justify="right", no_wrap=True)
    if catching_up and width >= _NARROW:
        table.add_column("", width=_BAR)
    if catching_up:
        table.add_column("", no_wrap=True)
    for row in rows:
        cells = [Text(readable(row.name)), Text(rate_text(row.rate)), Text(f"{row.lag:,}" if row.lag else "-")]
        table.add_row(*cells, *(_bar(row, width) if catching_up else []))
    return table


def _bar(row: TopicRow, width: int) -> list[ProgressBar | Text]:
    bar: list[ProgressBar | Text] = []
    if width >= _NARROW:
        bar = [Text("") if row.share is None else ProgressBar(100, row.share * 100, width=_BAR)]
    if row.share is None:
        return [*bar, Text("")]
    left = "does not catch up" if row.seconds is None else f"{duration_text(row.seconds)} left"
    return [*bar, Text(f"{row.share:.0%}, {left}")]


def _dead(progress: Progress) -> list[str]:
    count = progress["dead_letters"]
    return [f"{count:,} dead letter{'' if count == 1 else 's'}"] if count else []


def _late(progress: Progress) -> list[str]:
    late = sorted(progress["late"].items(), key=lambda each: -each[1])
    if not late:
        return []
    nodes = [f"{readable(node)} {count:,}" for node, count in late[:_NODES]]
    return [f"{sum(progress['late'].values()):,} late ({', '.join([*nodes, *(['…'] if late[_NODES:] else [])])})"]
