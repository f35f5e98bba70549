"""Places for connections: how many there are, in all and from each address."""

from __future__ import annotations

import resource
from collections import Counter

import prometheus_client

from holdfast.server.limits import Limits


class ConnectionSlots:
    """How many connections are open, from each address and in all.

    A few slots are reserved for this machine: whoever supervises the server is here, and asks while others crowd.
    """

    def __init__(self, limits: Limits, refused: prometheus_client.Counter) -> None:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        unlimited = soft == resource.RLIM_INFINITY
        self._limits = limits
        self._total = limits.connections if unlimited else min(limits.connections, soft // 2)
        self._by_address: Counter[str] = Counter()
        self._refused = refused

    def acquire(self, address: str) -> bool:
        """Whether one more connection from there may be opened; it counts until it is released."""
        is_local = address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")
        total = self._total + (self._limits.reserve if is_local else 0)
        if self._by_address[address] >= self._limits.connections_per_address or self._by_address.total() >= total:
            self._refused.inc()
            return False
        self._by_address[address] += 1
        return True

    def release(self, address: str) -> None:
        """One connection from there is closed."""
        self._by_address[address] -= 1
        if self._by_address[address] <= 0:
            del self._by_address[address]
