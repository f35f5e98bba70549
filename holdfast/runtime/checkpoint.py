"""What Spark has written in a checkpoint about its epochs; the kernel reads the same in `CheckpointOffsets.java`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard

Offsets = Mapping[str, Mapping[str, int]]
# A file of offsets begins with its version and the settings of the epoch; a line for each source follows.
_HEADER_LINES = 2


def last_epoch(checkpoint: Path) -> int:
    """The last epoch that was begun; -1 if there is none."""
    begun = _last(checkpoint / "offsets")
    return -1 if begun is None else begun


def query_id(checkpoint: Path) -> str | None:
    """The identity of the query, which goes with every copy of the checkpoint; None before its first start."""
    try:
        found: str | None = json.loads((checkpoint / "metadata").read_text()).get("id")
    except FileNotFoundError:
        return None
    return found


def last_committed(checkpoint: Path) -> int | None:
    """The last epoch that was committed, if there is one."""
    return _last(checkpoint / "commits")


def unfinished_epoch(checkpoint: Path) -> int | None:
    """The epoch that was begun and not committed, if there is one."""
    begun = _last(checkpoint / "offsets")
    return begun if begun is not None and begun != last_committed(checkpoint) else None


def committed_offsets(checkpoint: Path) -> Offsets | None:
    """What the last epoch has read; None if there is none, or one that was not finished."""
    begun = _last(checkpoint / "offsets")
    if begun is None or unfinished_epoch(checkpoint) is not None:
        return None
    sources = _lines(checkpoint, begun)[_HEADER_LINES:]
    return topic_offsets(sources[0]) if sources else None


def partitions(checkpoint: Path) -> int | None:
    """How many Spark partitions the epochs have; None if there are none, or none that can be read."""
    begun = _last(checkpoint / "offsets")
    if begun is None:
        return None
    try:
        conf = json.loads(_lines(checkpoint, begun)[1]).get("conf", {})
    except (ValueError, IndexError):
        return None  # Spark reads it, too, and says so
    width = conf.get("spark.sql.shuffle.partitions")
    return None if width is None else int(width)


def first_offsets(checkpoint: Path) -> Offsets:
    """Where the app began to read; Spark writes it down before the first epoch."""
    for file in sorted(checkpoint.glob("sources/*/0")):
        try:
            found = json.loads(file.read_text().partition("\n")[2])
        except (OSError, ValueError):
            continue
        if _is_offsets(found):
            return found
    return {}


def topic_offsets(offset: object) -> Offsets:
    """The offsets by topic and partition in an offset of the source, or in its text; those of other sources are none.

    >>> topic_offsets('{"in": {"0": 7}, "#clock": {"now": 5}}')
    {'in': {'0': 7}}
    """
    try:
        read = json.loads(offset) if isinstance(offset, str) else offset
    except ValueError:
        return {}
    if isinstance(read, dict):
        # What the source records besides the offsets is no topic.
        read = {topic: parts for topic, parts in read.items() if not topic.startswith("#")}
    return read if _is_offsets(read) else {}


def _is_offsets(found: object) -> TypeGuard[Offsets]:
    return isinstance(found, dict) and all(
        isinstance(parts, dict) and all(isinstance(at, int) for at in parts.values()) for parts in found.values()
    )


def _lines(checkpoint: Path, epoch: int) -> list[str]:
    return (checkpoint / "offsets" / str(epoch)).read_text().splitlines()


def _last(log: Path) -> int | None:
    """The highest number among the files of one of Spark's logs."""
    numbers = [int(file.name) for file in log.glob("*") if file.name.isdigit()]
    return max(numbers, default=None)
