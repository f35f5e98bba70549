"""A broker that answers slowly: what stands between it and the app holds back its answers."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Callable

HOST = "127.0.0.1"
PIECE = 1 << 16


class Proxy:
    """Passes on what comes to its port to another; each answer waits about `delay` seconds."""

    def __init__(self, port: int, target: int, seed: int) -> None:
        self.delay = 0.0
        self._port = port
        self._target = target
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.Task[None]] = set()
        listening = threading.Event()
        self._thread = threading.Thread(target=self._run, args=[listening], daemon=True)
        self._thread.start()
        assert listening.wait(30), f"port {port} is not listened to"

    def close(self) -> None:
        """Close all connections and the port."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)

    def _run(self, listening: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._connected, HOST, self._port))
        listening.set()
        self._loop.run_forever()
        server.close()
        for task in self._open:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._open, return_exceptions=True))
        self._loop.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            there, back = await asyncio.open_connection(HOST, self._target)
        except OSError:  # the broker is away
            writer.close()
        else:
            with contextlib.suppress(asyncio.CancelledError):  # which asyncio would report, though this closes it
                await asyncio.gather(_pass_on(reader, back), _pass_on(there, writer, self._wait))
        finally:
            self._open.discard(task)

    def _wait(self) -> float:
        return self._random.uniform(0.5, 1.5) * self.delay


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wait: Callable[[], float] = lambda: 0
) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(PIECE):
            if seconds := wait():
                await asyncio.sleep(seconds)
            writer.write(piece)
            await writer.drain()
    writer.close()
