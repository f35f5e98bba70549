"""What the HTTP protocol writes to a client: its answers, and its refusals in the shape that all errors have."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from http import HTTPStatus
from typing import TypeVar

from holdfast.server.responses import error

T = TypeVar("T")
Buffer = bytes | bytearray | memoryview
_PIECE = 64 << 10


class ReplyTransport(asyncio.Transport):
    """Hands on to a transport what is written, in pieces, and notes in `unread` that some of it waits to be read.

    A transport with TLS does not know how much of what it was given has not been sent. So it gets a piece at a time,
    while the client keeps up.

    The HTTP protocol answers while a task of the application runs. What it writes while it parses is its refusal of
    bytes that are no HTTP.
    """

    def __init__(self, transport: asyncio.Transport, unread: set[asyncio.WriteTransport]) -> None:
        super().__init__()
        self._transport = transport
        self._unread = unread
        self._pieces: deque[Buffer] = deque()
        self._paused = self._is_closing = False
        self.refusal_possible = False
        self.is_answering = False
        self.has_refused = False

    def write(self, data: Buffer) -> None:
        """Send, or refuse."""
        if self.refusal_possible:
            self.refuse(400, "bad_request", "Invalid HTTP request received.", "send HTTP/1.1")
            return
        if not self._pieces and len(data) <= _PIECE:
            self._transport.write(data)
        else:
            view = memoryview(data)
            self._pieces += (view[at : at + _PIECE] for at in range(0, len(view), _PIECE))
            self._send_pieces()
        if self.get_write_buffer_size() > 0:
            self._unread.add(self)

    def write_small(self, data: bytes) -> None:
        """Send what is not worth to be counted as unread before the connection's deadline is looked at."""
        self._transport.write(data)

    def note_unread(self) -> None:
        """Count what waits as unread."""
        self._unread.add(self)

    def writelines(self, list_of_data: Iterable[Buffer]) -> None:
        """Send some pieces."""
        self.write(b"".join(list_of_data))

    def pause(self) -> None:
        """The client does not keep up."""
        self._paused = True

    def resume(self) -> bool:
        """The client has caught up; whether nothing waits any more."""
        self._paused = False
        self._send_pieces()
        return not self._pieces

    def drop(self) -> None:
        """Nothing can be sent any more."""
        self._pieces.clear()
        self._unread.discard(self)

    def refuse(self, status: int, code: str, message: str, hint: str) -> None:
        """Answer with an error and close; in the middle of an answer there is no way to say so."""
        if self.has_refused:
            return
        self.has_refused, self.refusal_possible = True, False
        if self.is_answering:
            self.abort()
            return
        body = bytes(error(status, code, message, hint).body)
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.write(head.encode() + body)
        self.close()

    def get_write_buffer_size(self) -> int:
        """How many bytes the client has not read, as far as this process knows."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._pieces))

    def _send_pieces(self) -> None:
        while self._pieces and not self._paused:
            self._transport.write(self._pieces.popleft())  # which pauses it, where there is no room for more
        if self._is_closing and not self._pieces:
            self._transport.close()

    def get_extra_info(self, name: str, default: T | None = None) -> T | None:
        """What the transport knows: addresses, certificates."""
        found: T | None = self._transport.get_extra_info(name, default)
        return found

    def is_closing(self) -> bool:
        """Whether it is closed, or will be when everything is sent."""
        return self._is_closing or self._transport.is_closing()

    def close(self) -> None:
        """Close it when everything is sent."""
        self._is_closing = True
        self._send_pieces()

    def abort(self) -> None:
        """Close it now."""
        self.drop()
        self._transport.abort()

    def is_reading(self) -> bool:
        """Whether data is received."""
        return self._transport.is_reading()

    def pause_reading(self) -> None:
        """Receive nothing for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Receive again."""
        self._transport.resume_reading()
