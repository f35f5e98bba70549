"""Names: which are allowed, and which one was probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from holdfast.errors import HoldfastError

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def words(text: str) -> frozenset[str]:
    """The words of a text: a set of names that stays readable."""
    return frozenset(text.split())


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """The end of a message: the nearest known name, or all of them when they are few."""
    names = list(known)
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wrong.lower(), lowered, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {lowered[near[0]]!r}?"
    return f"; there is {', '.join(names)}" if 0 < len(names) <= 12 else ""


def check_name(
    kind: str, name: object, error: type[HoldfastError], *, longest: int = 249, at: str | None = None
) -> str:
    """Return `name` if Kafka can use it as (part of) a topic's name."""
    if not isinstance(name, str):
        raise error(f"{kind} must be a string, not {name!r}", at=at)
    if not _LEGAL.fullmatch(name) or name in (".", ".."):
        raise error(f"{kind} {name!r} may have letters, digits, '.', '_' and '-' only", at=at)
    if len(name) > longest:
        raise error(f"{kind} {name[:40]!r}... has {len(name)} characters; at most {longest} are possible", at=at)
    return name
