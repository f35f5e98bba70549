"""Reasons of dead letters, as they are counted."""

from __future__ import annotations

import re

_VARYING = re.compile(
    r'"[^"]*"|(?P<name>UTF-8|decimal\(\d+,\d+\)|(?<![\w./-])[\w./-]+\.py:\d+)|\d{4}-\d\d-\d\dT[\d:.]+Z|-?\d[\d.]*'
)


def general_reason(reason: str) -> str:
    """A reason without what differs from record to record: quoted texts, times and numbers.

    >>> general_reason('"x" is no number, at offset 17')
    '… is no number, at offset N'
    """
    return _VARYING.sub(lambda found: found["name"] or ("…" if found[0].startswith('"') else "N"), reason)
