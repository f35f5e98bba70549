"""Sizes in memory as people write them."""

from __future__ import annotations

import re

_SIZE = re.compile(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def bytes_of(text: str) -> int | None:
    """How many bytes are meant, or None if it is not a size.

    >>> bytes_of("512MB"), bytes_of("1.5 GiB"), bytes_of("2g"), bytes_of("much")
    (536870912, 1610612736, 2147483648, None)
    """
    found = _SIZE.fullmatch(text)
    return int(float(found[1]) * 1024 ** _POWERS[found[2].lower()]) if found else None
