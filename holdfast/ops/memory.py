"""The memory of a process and of all that it started."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of_tree(pid: int | None = None, proc: Path = Path("/proc")) -> int | None:
    """The bytes that a process (this one) and its descendants have in memory; None where /proc does not tell.

    Pages that several of them share are counted in each.
    """
    found = {int(each.name): _stat(each) for each in proc.glob("[0-9]*")}
    wanted = os.getpid() if pid is None else pid
    if found.get(wanted) is None:
        return None
    children: dict[int, list[int]] = {}
    for each, stat in found.items():
        if stat is not None:
            children.setdefault(stat[0], []).append(each)
    total, ahead = 0, [wanted]
    while ahead:
        each = ahead.pop()
        stat = found[each]
        total += stat[1] if stat else 0
        ahead += children.get(each, [])
    return total


def _stat(process: Path) -> tuple[int, int] | None:
    """Its parent and its bytes; None when it has ended meanwhile."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        # The name of the program stands in parentheses and may have any characters.
        fields = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
        return int(fields[1]), int(fields[21]) * _PAGE
    return None
