"""The groups of `holdfast dlq list` as a table that fits: one line for each, or several on a narrow terminal."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from holdfast.cli.output import readable
from holdfast.ops.dlq import LetterGroup
from holdfast.units.time import as_text

_LEAST_FOR_REASON = 40
_UNLIMITED = 10_000


def print_groups(groups: Sequence[LetterGroup]) -> None:
    """Print them as wide as the terminal is; a file or a pipe gets whole lines."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _UNLIMITED
    lines = _one_line_each(groups)
    console.print(lines if _fits(console, lines, groups) else _stacked(groups))


def _fits(console: Console, table: Table, groups: Iterable[LetterGroup]) -> bool:
    """Whether a line has room for all but the reason, and for some of that; the rest of it is folded."""
    longest = max(len(readable(each.reason)) for each in groups)
    wanted = Measurement.get(console, console.options.update(max_width=_UNLIMITED), table).maximum
    return console.width >= wanted - max(0, longest - _LEAST_FOR_REASON)


def _one_line_each(groups: Iterable[LetterGroup]) -> Table:
    table = _table("letters", "replayed", "reason", "node", "topic", "first", "last")
    for each in groups:
        cells = [each.reason, each.node, each.topic, as_text(each.first), as_text(each.last)]
        table.add_row(*_counts(each), *(Text(readable(cell)) for cell in cells))
    return table


def _stacked(groups: Iterable[LetterGroup]) -> Table:
    table = _table("letters", "replayed", "reason, place, time")
    for each in groups:
        place = each.topic if each.topic == each.node else f"{each.node}, of topic {each.topic or '-'}"
        times = as_text(each.first) if each.first == each.last else f"{as_text(each.first)} to {as_text(each.last)}"
        about = "".join(f"\n{readable(text)}" for text in (place, times))
        table.add_row(*_counts(each), Text(readable(each.reason)).append(about, style="dim"))
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        number = name in ("letters", "replayed")
        table.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table


def _counts(group: LetterGroup) -> tuple[str, str]:
    return f"{group.count:,}", f"{group.replayed:,}"
