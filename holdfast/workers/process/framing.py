"""Messages between a processor and the kernel: several parts as one."""

from __future__ import annotations

import struct
from collections.abc import Iterable


def join(parts: Iterable[bytes]) -> bytes:
    """Parts as one, each with its length before it.

    >>> split(join([b"a", b""]))
    [b'a', b'']
    """
    return b"".join(struct.pack(">i", len(part)) + part for part in parts)


def split(joined: bytes) -> list[bytes]:
    """The parts of a message."""
    out, at = [], 0
    while at < len(joined):
        (length,) = struct.unpack_from(">i", joined, at)
        out.append(joined[at + 4 : at + 4 + length])
        at += 4 + length
    return out
