"""How requests are sent: the address, the token, whom to believe, and what a refusal becomes."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import orjson

from holdfast.client.requests import Question, Reply, Request, T
from holdfast.errors import HoldfastError
from holdfast.stores.session_token import HEADER, SessionToken
from holdfast.units.duration import milliseconds

_EPOCH = "Holdfast-Epoch"
NO_EPOCHS = "no_epochs"
_LOST = ("history_gone", NO_EPOCHS)
_READS = ("/stores/", "/sql/")
LINES = "application/x-ndjson"
_KEY_NOT_FOUND = "key_not_found"
_AFTER = "after"
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_SILENCE = 45.0  # a server says every 15 seconds that it is there


class RequestError(HoldfastError):
    """A server refused a request, or none answers."""

    def __init__(self, message: str, *, status: int | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Connection:
    """What a client knows of its server; it sends nothing itself."""

    def __init__(
        self,
        url: str,
        token: str | None,
        ca: Path | str | None,
        timeout: float,
        session: str | None = None,
        max_staleness: str | timedelta | None = None,
    ) -> None:
        self.url = address(url)
        self.epoch: int | None = None
        self.session = _session(session)
        self.staleness = None if max_staleness is None else f"{milliseconds(max_staleness, 'max_staleness')}ms"
        self.timeout = timeout
        self.trusted = _trusted(ca)
        # On the same machine an answer is sent sooner than it is compressed.
        coding = {"Accept-Encoding": "identity"} if urlsplit(self.url).hostname in LOCAL_NAMES else {}
        self.identity = {
            "Accept": "application/json",
            **coding,
            **({"Authorization": f"Bearer {token}"} if token else {}),
        }

    def parameters(self, request: Request) -> dict[str, str | list[str]]:
        """The parameters of a request: no answer is older than one that was seen before."""
        is_read = f"{request.path}/".startswith(_READS)
        if not is_read or _AFTER in request.query:  # what comes after an epoch is no older
            return dict(request.query)
        fresh = {} if self.staleness is None else {"max_staleness": self.staleness}
        if self.epoch is None or self.session.timeline is not None:  # which says more
            return {**request.query, **fresh}
        return {**request.query, **fresh, "min_epoch": str(self.epoch)}

    def headers(self, request: Request) -> dict[str, str]:
        """What a body is, what the answer is to be, and what it has to show."""
        sent = {} if request.body is None else {"Content-Type": "application/json"}
        if self.session and _AFTER not in request.query:
            sent[HEADER] = str(self.session)
        return sent if request.accept is None else {**sent, "Accept": request.accept}

    def reply(self, response: httpx.Response) -> Reply:
        """What came back; a refusal becomes an error, but for a key that is not there."""
        error = None if response.is_success else self._refusal(response)
        if error is not None and error.code in _LOST:
            self.session, self.epoch = SessionToken(), None  # what is read from now on is another history
        elif _EPOCH in response.headers:
            sent = SessionToken.read(response.request.headers.get(HEADER, ""))
            is_answered = error is None or error.code == _KEY_NOT_FOUND
            self.seen(int(response.headers[_EPOCH]), response.headers.get(HEADER), sent if is_answered else None)
        if error is not None and error.code != _KEY_NOT_FOUND:
            raise error
        return Reply(response.status_code, response.content, response.headers)

    @property
    def patience(self) -> httpx.Timeout:
        """How long to wait for a part of an answer that does not end."""
        return httpx.Timeout(self.timeout, read=max(self.timeout, _SILENCE))

    def seen(self, epoch: int, token: str | None = None, shown: SessionToken | None = None) -> None:
        """Read nothing that is older than this epoch from now on; what an answer was to show, it shows."""
        session = SessionToken.read(token if token and "." in token else "")
        if self.session.timeline not in (None, session.timeline):
            return  # a route, which was asked for nothing, of a server that is behind
        self.epoch = epoch if self.epoch is None else max(self.epoch, epoch)
        self.session = self.session.later(session)
        if shown is not None:
            self.session = self.session.without_writes(shown.writes)

    def wrote(self, written: str) -> None:
        """Read what was written from now on."""
        self.session = self.session.with_writes(SessionToken.read(written).writes.items())

    def unreachable(self, error: Exception) -> RequestError:
        """Nobody answers, or not in time."""
        return RequestError(
            f"no server answers at {self.url} ({error or type(error).__name__}); start one with "
            "`holdfast run APP.py --serve` or `holdfast serve APP.py`, or give hf.connect() another address"
        )

    def _refusal(self, response: httpx.Response) -> RequestError:
        status = response.status_code
        try:
            said = orjson.loads(response.content)["error"]
            between = "\n" if "\n" in said["hint"] else "; "  # a place in a query is shown in lines of its own
            message = f"{said['message']}{between}{said['hint']}" if said["hint"] else said["message"]
            return RequestError(message, status=status, code=said["code"])
        except (ValueError, KeyError, TypeError):
            what = f"{self.url} answered {status} {response.reason_phrase}; is it a Holdfast server?"
            return RequestError(what, status=status)


class _Lines:
    """Cuts what comes into lines; one that has no end yet is none."""

    def __init__(self) -> None:
        self._begun: list[bytes] = []

    def whole(self, data: bytes) -> list[str]:
        """The lines that end with these bytes."""
        first, *more = data.split(b"\n")
        self._begun.append(first)
        if not more:
            return []
        lines, self._begun = [b"".join(self._begun), *more[:-1]], [more[-1]]
        return [line.decode() for line in lines]


class SyncTransport:
    """Sends requests one after the other and waits for each."""

    def __init__(self, connection: Connection) -> None:
        self._connection = known = connection
        self.seen = connection.seen
        self._http = httpx.Client(
            base_url=known.url, headers=known.identity, verify=known.trusted, timeout=known.timeout
        )

    @property
    def epoch(self) -> int | None:
        """The latest epoch that was seen."""
        return self._connection.epoch

    def ask(self, question: Question[T]) -> T:
        """Send what a question yields until it has its answer."""
        try:
            request = next(question)
            while True:
                request = question.send(self._send(request))
        except StopIteration as end:
            answer: T = end.value
            return answer

    def _send(self, request: Request) -> Reply:
        known = self._connection
        try:
            return known.reply(
                self._http.request(
                    request.method, request.path, params=known.parameters(request), content=request.body,
                    headers=known.headers(request),
                )
            )  # fmt: skip
        except httpx.TransportError as error:
            raise known.unreachable(error) from None

    def lines(self, request: Request) -> Iterator[str]:
        """The lines of an answer that does not end, with an empty one when it begins."""
        known, lines = self._connection, _Lines()
        given, wanted = known.parameters(request), {**known.headers(request), "Accept": LINES}
        try:
            with self._http.stream(
                request.method, request.path, params=given, content=request.body, headers=wanted, timeout=known.patience
            ) as response:
                if not response.is_success:
                    response.read()
                    known.reply(response)
                yield ""
                for data in response.iter_bytes():
                    yield from lines.whole(data)
        except httpx.TransportError as error:
            raise known.unreachable(error) from None

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


class AsyncTransport:
    """Sends requests and awaits the replies."""

    def __init__(self, connection: Connection) -> None:
        self._connection = known = connection
        self.seen = connection.seen
        self._http = httpx.AsyncClient(
            base_url=known.url, headers=known.identity, verify=known.trusted, timeout=known.timeout
        )

    @property
    def epoch(self) -> int | None:
        """The latest epoch that was seen."""
        return self._connection.epoch

    async def ask(self, question: Question[T]) -> T:
        """Send what a question yields until it has its answer."""
        try:
            request = next(question)
            while True:
                request = question.send(await self._send(request))
        except StopIteration as end:
            answer: T = end.value
            return answer

    async def _send(self, request: Request) -> Reply:
        known = self._connection
        try:
            return known.reply(
                await self._http.request(
                    request.method, request.path, params=known.parameters(request), content=request.body,
                    headers=known.headers(request),
                )
            )  # fmt: skip
        except httpx.TransportError as error:
            raise known.unreachable(error) from None

    async def lines(self, request: Request) -> AsyncIterator[str]:
        """The lines of an answer that does not end, with an empty one when it begins."""
        known, lines = self._connection, _Lines()
        given, wanted = known.parameters(request), {**known.headers(request), "Accept": LINES}
        try:
            async with self._http.stream(
                request.method, request.path, params=given, content=request.body, headers=wanted, timeout=known.patience
            ) as response:
                if not response.is_success:
                    await response.aread()
                    known.reply(response)
                yield ""
                async for data in response.aiter_bytes():
                    for line in lines.whole(data):
                        yield line
        except httpx.TransportError as error:
            raise known.unreachable(error) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def _session(given: str | None) -> SessionToken:
    try:
        return SessionToken.read(given or "")
    except ValueError as error:
        raise HoldfastError(f"connect(session=): {error}; pass client.session of another client") from None


def address(url: str) -> str:
    """The address of a server, with a scheme and without a slash at its end."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise RequestError(f"{url!r} is not the address of a server; write it as http://127.0.0.1:7000")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _trusted(ca: Path | str | None) -> ssl.SSLContext | bool:
    """Whom to believe, when that is not left to the system."""
    try:
        return ssl.create_default_context(cafile=str(ca)) if ca else True
    except (OSError, ssl.SSLError) as error:
        raise RequestError(f"ca={str(ca)!r} cannot be used: {error}") from None
