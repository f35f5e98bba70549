"""Connections are counted and timed from the moment they are accepted, before TLS and before the first byte."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
import struct
from collections.abc import Callable

from holdfast.server.connection import Connection
from holdfast.server.connection_slots import ConnectionSlots
from holdfast.server.limits import Limits
from holdfast.server.request_meter import RequestMeter

_PAUSE = 0.1
_BATCH = 64
_CHECK_INTERVAL = 0.5
_RESET = struct.pack("ii", 1, 0)

log = logging.getLogger("holdfast.server")


class Acceptor(asyncio.AbstractServer):
    """Accepts the connections of a listening socket; in place of the server that an event loop would make."""

    def __init__(
        self,
        listener: socket.socket,
        make_protocol: Callable[[], asyncio.BaseProtocol],
        tls: ssl.SSLContext | None,
        limits: Limits,
        requests: RequestMeter,
    ) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._make_protocol = make_protocol
        self._tls = tls
        self._limits = limits
        self._requests = requests
        self._slots = ConnectionSlots(limits, requests.refused)
        loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        self._tasks = [loop.create_task(self._accept()), loop.create_task(self._check_deadlines())]

    def close(self) -> None:
        """Accept no more connections, and end the handshakes; connections that are open stay."""
        for task in (self._tasks[0], *self._opening):
            task.cancel()

    async def wait_closed(self) -> None:
        """Wait until nothing is accepted any more."""
        self._tasks[1].cancel()
        await asyncio.gather(*self._tasks, *self._opening, return_exceptions=True)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop that it accepts in."""
        return self._tasks[0].get_loop()

    def is_serving(self) -> bool:
        """Whether it accepts connections."""
        return not self._tasks[0].done()

    async def start_serving(self) -> None:
        """It accepts from the beginning."""

    async def serve_forever(self) -> None:
        """Accept until it is closed."""
        await asyncio.wait(self._tasks[:1])

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for _ in range(_BATCH):
                try:
                    accepted, address = await loop.sock_accept(self._listener)
                except OSError as error:
                    log.warning("a connection could not be accepted: %s", error)
                    await asyncio.sleep(_PAUSE)
                    continue
                self._admit(accepted, str(address[0]))
            await asyncio.sleep(0)  # others have their turn

    def _admit(self, accepted: socket.socket, address: str) -> None:
        if not self._slots.acquire(address):
            # Reset: nothing of the connection stays behind in the kernel.
            with contextlib.suppress(OSError):
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            accepted.close()
            return
        accepted.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._open(accepted, address))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open(self, accepted: socket.socket, address: str) -> None:
        connection = Connection(
            self._make_protocol(), self._limits, self._requests, lambda: self._slots.release(address)
        )
        limit = self._limits.handshake if self._tls else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                accepted, ssl=self._tls, ssl_handshake_timeout=limit, ssl_shutdown_timeout=limit,
            )  # fmt: skip
        except BaseException as error:
            accepted.close()
            connection.connection_lost(None)
            if not isinstance(error, (OSError, asyncio.CancelledError)):
                raise

    async def _check_deadlines(self) -> None:
        while True:
            await asyncio.sleep(_CHECK_INTERVAL)
            now = asyncio.get_running_loop().time()
            for connection in list(self._requests.connections):
                connection.check_deadline(now)
