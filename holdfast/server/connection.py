"""One connection: what its client is waited for, since when, and how much of the answers it has not read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import Literal, cast

from holdfast.server.limits import Limits
from holdfast.server.point_reads import PointReader, PointReads
from holdfast.server.reply_transport import ReplyTransport
from holdfast.server.request_head import body_to_come
from holdfast.server.request_meter import RequestMeter

Awaited = Literal["head", "upload", "reader", "idle"]
"""What a client may be waited for."""
_HEAD_END = b"\r\n\r\n"
_SLACK = 256 << 10

# Which connection a request came on: set while its bytes are parsed, and inherited by the task that answers it.
CURRENT: ContextVar[Connection | None] = ContextVar("holdfast_connection", default=None)


class Connection(asyncio.Protocol):
    """Stands between the transport of a client and the HTTP protocol, which knows nothing of it."""

    def __init__(
        self,
        http: asyncio.BaseProtocol,
        limits: Limits,
        requests: RequestMeter,
        on_lost: Callable[[], None],
        reads: PointReads | None = None,
    ) -> None:
        self._http = cast("asyncio.Protocol", http)
        self._limits = limits
        self._requests = requests
        self._on_lost: Callable[[], None] | None = on_lost
        self._replies: ReplyTransport | None = None
        self._answering = False
        self._awaits_body = False
        self._number = 0
        self._head, self._head_tail = 0, b""
        self._head_ended = self._is_idle = False
        self._received = 0
        self._reads = reads
        self._reader: PointReader | None = None
        # Whether the HTTP protocol has nothing to do with what comes next, and what it still has to get if it has.
        self._is_between = True
        self._to_come: int | None = None
        self._is_timed = False
        self._awaited: tuple[Awaited | None, int] = (None, 0)
        self._since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; where there is TLS, after its handshake."""
        self._replies = ReplyTransport(cast("asyncio.Transport", transport), self._requests.unread_transports)
        self._requests.connections.add(self)
        if self._reads is not None:
            scheme = "http" if transport.get_extra_info("sslcontext") is None else "https"
            self._reader = PointReader(self._reads, scheme, str((transport.get_extra_info("sockname") or ("",))[0]))
        self._http.connection_made(self._replies)

    def connection_lost(self, exc: Exception | None) -> None:
        """End; also where it never began."""
        on_lost, self._on_lost = self._on_lost, None
        if on_lost is None:
            return
        if self._replies is not None:
            self._requests.connections.discard(self)
            self._replies.drop()
            self._http.connection_lost(exc)
        on_lost()

    def data_received(self, data: bytes) -> None:
        """Parse what came, if there is not too much of it."""
        replies = self._replies
        assert replies is not None
        if replies.has_refused:
            return
        if self._reader is not None and self._is_between:
            data = self._answer_reads(self._reader, replies, data)
            if not data:
                return
        replies.is_answering = self._answering
        self._is_idle = False
        self._received += len(data)
        if not self._head_ended:
            self._count_head(data)
        if self._head > self._limits.head_bytes:
            replies.refuse(431, "head_too_large", f"a head may have {self._limits.head_bytes:,} bytes", "send less")
            return
        # A body may come in small chunks, and the next request behind it.
        if self._received > 2 * self._limits.body + self._limits.head_bytes + _SLACK:
            replies.abort()
            return
        if self._is_between:
            self._to_come = body_to_come(data)
        elif self._to_come is not None:
            self._to_come -= len(data)
        self._is_between = False
        CURRENT.set(self)
        replies.refusal_possible = True
        self._http.data_received(data)
        replies.refusal_possible = False

    def eof_received(self) -> bool | None:
        """The client sends no more."""
        return self._http.eof_received()

    def pause_writing(self) -> None:
        """The client does not keep up with what it is sent."""
        if self._replies is not None:
            self._replies.pause()
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """The client has caught up."""
        if self._replies is None or self._replies.resume():
            self._http.resume_writing()

    def begin_answer(self) -> int:
        """A request's head has come, and the application begins to answer it; gives its number."""
        self._answering, self._awaits_body, self._received = True, False, 0
        self._head_ended, self._head = True, 0
        self._number += 1
        return self._number

    def await_body(self, number: int, is_awaited: bool) -> None:
        """The application waits for a part of the request's body, or has got all that it wanted for now."""
        if number == self._number:
            self._awaits_body = is_awaited

    def end_answer(self, number: int, body_left: bool) -> None:
        """The last of an answer was sent; the request's body may not have been read to its end."""
        if number != self._number or not self._answering:
            return
        self._answering, self._awaits_body, self._is_idle = False, body_left, not body_left
        self._received, self._head, self._head_tail = 0, 0, b""
        self._head_ended = body_left
        self._is_between, self._is_timed = self._to_come == 0, True

    def check_deadline(self, now: float) -> None:
        """Close the connection if its client has been waited for too long."""
        awaited = (self._find_awaited(), self._number)
        if self._replies is not None and awaited[0] == "reader":
            self._replies.note_unread()
        if awaited != self._awaited:
            self._awaited, self._since = awaited, now
        elif (
            self._replies is not None
            and awaited[0] is not None
            and now - self._since > getattr(self._limits, awaited[0])
        ):
            # Closing would wait until the client has read what is left.
            self._replies.close() if awaited[0] == "idle" else self._replies.abort()

    def _find_awaited(self) -> Awaited | None:
        if self._replies is not None and self._replies.get_write_buffer_size() > 0:
            return "reader"
        if self._awaits_body:
            return "upload"
        if self._answering:
            return None
        return "idle" if self._is_idle else "head"

    def _answer_reads(self, reader: PointReader, replies: ReplyTransport, data: bytes) -> bytes:
        """Answer the reads of single keys that data begins with; gives the rest."""
        if replies.get_write_buffer_size() > 0 or replies.is_closing():
            return data
        answers, end = reader.read(data)
        if not answers:
            return data
        if self._is_timed:
            self._http.data_received(b"")  # what it waited for has come, and it need not close the connection
            self._is_timed = False
        replies.write_small(answers[0] if len(answers) == 1 else b"".join(answers))
        self._number += len(answers)
        self._is_idle = True
        return data[end:]

    def _count_head(self, data: bytes) -> None:
        """Count the bytes of a request's head, to its empty line; what it means is for the parser to say."""
        end = data.find(_HEAD_END)
        if end >= 0 or _HEAD_END in self._head_tail + data[:3]:
            self._head_ended = True
        self._head += len(data) if end < 0 else end
        self._head_tail = data[-3:]
