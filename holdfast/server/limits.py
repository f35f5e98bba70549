"""The limits of a server: sizes, numbers and times."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Times are in seconds; the connection of a client that takes longer is closed.

    The reserve is of requests for /health and /ready, and of connections from this machine. `unread` is how much of
    all answers may wait for clients to read it.
    """

    body: int = 1 << 20
    page: int = 4 << 20
    unread: int = 256 << 20
    head_bytes: int = 64 << 10
    head: float = 10
    upload: float = 30
    answer: float = 30
    idle: float = 5
    reader: float = 30
    requests: int = 200
    subscribers: int = 2500
    connections: int = 1000
    connections_per_address: int = 250
    handshake: float = 5
    reserve: int = 20


USUAL = Limits()
