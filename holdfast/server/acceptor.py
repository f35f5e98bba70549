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
from holdfast.server.point_reads import PointReads
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
        reads: PointReads | None = None,
    ) -> None:
        listener.setblocking(False)
        self._listener = listener
        self._make_protocol = make_protocol
        self._tls = tls
        self._limits = limits
        self._requests = requests
        self._reads = reads
        self._slots = ConnectionSlots(limits, requests.refused)
        self._loop = asyncio.get_running_loop()
        self._descriptor = listener.fileno()
        self._opening: set[asyncio.Task[None]] = set()
        self._retry: asyncio.TimerHandle | None = None
        self._closed = asyncio.Event()
        self._checking = self._loop.create_task(self._check_deadlines())
        self._watch()

    def close(self) -> None:
        """Accept no more connections, and end the handshakes; connections that are open stay."""
        self._closed.set()
        self._loop.remove_reader(self._descriptor)
        if self._retry is not None:
            self._retry.cancel()
        for task in self._opening:
            task.cancel()

    async def wait_closed(self) -> None:
        """Wait until nothing is accepted any more."""
        self._checking.cancel()
        await asyncio.gather(self._checking, *self._opening, return_exceptions=True)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        """The loop that it accepts in."""
        return self._loop

    def is_serving(self) -> bool:
        """Whether it accepts connections."""
        return not self._closed.is_set()

    async def start_serving(self) -> None:
        """It accepts from the beginning."""

    async def serve_forever(self) -> None:
        """Accept until it is closed."""
        await self._closed.wait()

    def _watch(self) -> None:
        self._loop.add_reader(self._descriptor, self._accept)

    def _accept(self) -> None:
        """Accept what waits. A loop that is busy comes here seldom, so one at a time would let a crowd queue up."""
        for _ in range(_BATCH):
            try:
                accepted, address = self._listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError as error:
                log.warning("a connection could not be accepted: %s", error)
                self._loop.remove_reader(self._descriptor)
                self._retry = self._loop.call_later(_PAUSE, self._watch)
                return
            self._admit(accepted, str(address[0]))

    def _admit(self, accepted: socket.socket, address: str) -> None:
        if not self._slots.acquire(address):
            # Reset: nothing of the connection stays behind in the kernel.
            with contextlib.suppress(OSError):
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            accepted.close()
            return
        accepted.setblocking(False)
        task = self._loop.create_task(self._open(accepted, address))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open(self, accepted: socket.socket, address: str) -> None:
        connection = Connection(
            self._make_protocol(), self._limits, self._requests, lambda: self._slots.release(address), self._reads
        )
        limit = self._limits.handshake if self._tls else None
        try:
            await self._loop.connect_accepted_socket(
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
            now = self._loop.time()
            for connection in list(self._requests.connections):
                connection.check_deadline(now)
