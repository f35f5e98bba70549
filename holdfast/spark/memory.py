"""How much memory there is for a process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

# What a container may take, as Linux says it in its two versions of control groups.
_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


def available(limits: Sequence[Path] = _LIMITS) -> int:
    """Give the bytes that the machine has, or that the container may take if that is less."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([machine, *(limit for limit in map(_limit, limits) if limit)])


def _limit(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
