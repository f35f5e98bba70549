"""Connections are counted and timed from the moment they are accepted, before TLS and before the first byte."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import resource
import socket
import ssl
import struct
from collections import Counter
from collections.abc import Callable
from typing import Any

import prometheus_client

from holdfast.server.limits import Limits

_PAUSE = 0.1
_AT_ONCE = 64
_RESET = struct.pack("ii", 1, 0)

log = logging.getLogger("holdfast.server")


class Slots:
    """How many connections there are, from each address and at all.

    A few are kept for this machine: whoever supervises the server is here, and asks while others crowd.
    """

    def __init__(self, limits: Limits, refused: prometheus_client.Counter) -> None:
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = limits.connections if soft == resource.RLIM_INFINITY else min(limits.connections, soft // 2)
        self._limits = limits
        self._most = most
        self._each: Counter[str] = Counter()
        self._refused = refused

    def take(self, address: str) -> bool:
        """Whether one more connection from there may be."""
        is_local = address.startswith("127.") or address in ("::1", "::ffff:127.0.0.1")
        most = self._most + (self._limits.reserve if is_local else 0)
        if self._each[address] >= self._limits.connections_each or self._each.total() >= most:
            self._refused.inc()
            return False
        self._each[address] += 1
        return True

    def release(self, address: str) -> None:
        """One connection from there is over."""
        self._each[address] -= 1
        if self._each[address] <= 0:
            del self._each[address]


class Acceptor:
    """Accepts the connections of a listening socket; in place of the server that asyncio would make."""

    def __init__(
        self, listener: socket.socket, make: Callable[[], Any], tls: ssl.SSLContext | None, limits: Limits, slots: Slots
    ) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._make = make
        self._tls = tls
        self._limits = limits
        self._slots = slots
        self._tasks: set[asyncio.Task[None]] = set()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def close(self) -> None:
        """Accept no more, and wait for no more handshakes."""
        for task in (self._task, *self._tasks):
            task.cancel()

    async def wait_closed(self) -> None:
        """Wait until nothing is accepted any more."""
        await asyncio.gather(self._task, *self._tasks, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for _ in range(_AT_ONCE):
                try:
                    connection, address = await loop.sock_accept(self._listener)
                except OSError as error:
                    log.warning("a connection could not be accepted: %s", error)
                    await asyncio.sleep(_PAUSE)
                    continue
                self._take(connection, str(address[0]))
            await asyncio.sleep(0)  # others have their turn

    def _take(self, connection: socket.socket, address: str) -> None:
        if not self._slots.take(address):
            # Reset: nothing of the connection stays behind in the kernel.
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            connection.close()
            return
        connection.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._open(connection, address))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _open(self, connection: socket.socket, address: str) -> None:
        handler = self._make()
        held = [address]

        def release() -> None:
            if held:
                self._slots.release(held.pop())

        handler.on_lost = release
        limit = self._limits.handshake if self._tls else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: handler,
                connection, ssl=self._tls, ssl_handshake_timeout=limit, ssl_shutdown_timeout=limit,
            )  # fmt: skip
        except BaseException as error:
            connection.close()
            release()
            if not isinstance(error, (OSError, asyncio.CancelledError)):
                raise
