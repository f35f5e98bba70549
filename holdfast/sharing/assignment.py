"""Which servers hold which share: everybody computes the same from the same list of servers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b

Assignment = Mapping[int, tuple[str, ...]]
"""The servers of each share."""


def assign(servers: Iterable[str], shares: int, replicas: int) -> Assignment:
    """Give every share its replicas, and every server as many as the others; a server that goes moves few of them.

    >>> [len(each) for each in assign(["a", "b", "c"], 4, 2).values()]
    [2, 2, 2, 2]
    """
    known = sorted(servers)
    ranked = {n: sorted(known, key=lambda server: _rank(server, n)) for n in range(shares)}
    found = {n: tuple(each[:replicas]) for n, each in ranked.items()}
    while known and (moved := _evened(found, known)) is not None:
        found = moved
    return found


def _evened(found: dict[int, tuple[str, ...]], known: list[str]) -> dict[int, tuple[str, ...]] | None:
    """The same with a share moved from who has most to who has least; None if all have as many, but for one."""
    held = Counter(dict.fromkeys(known, 0))
    held.update(server for servers in found.values() for server in servers)
    most, least = max(known, key=lambda server: held[server]), min(known, key=lambda server: held[server])
    if held[most] - held[least] < 2:
        return None
    movable = [n for n, servers in found.items() if most in servers and least not in servers]
    share = min(movable, key=lambda n: _rank(least, n))
    return {**found, share: tuple(least if server == most else server for server in found[share])}


def _rank(server: str, share: int) -> bytes:
    return blake2b(f"{share} {server}".encode(), digest_size=8).digest()
