"""Answers: JSON, and the one shape of an error."""

from __future__ import annotations

import logging
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from holdfast.errors import HoldfastError, KeyNotFound
from holdfast.server.audit import note_forbidden
from holdfast.sharing.parts import ShareUnavailable
from holdfast.stores import values
from holdfast.stores.catalog import StoreNotReady, UnknownStore
from holdfast.stores.epoch_position import EpochPosition, shown_epoch
from holdfast.stores.session_token import HEADER, token_of
from holdfast.stores.types import WrongType

log = logging.getLogger("holdfast.server")

_JSON = "application/json"
PROBLEM = "application/problem+json"
_CODES = {404: "not_found", 405: "method_not_allowed"}
_CHALLENGE = {401: {"WWW-Authenticate": 'Bearer realm="holdfast"'}}
_HINTS = {404: "GET / lists what there is", 405: "see the Allow header"}


class Refusal(HoldfastError):
    """A request that cannot be answered, and why."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.hint = hint


class Forbidden(Refusal):
    """A read that a token has no right to."""

    def __init__(self, token: str, message: str, hint: str, *, store: str = "", key: str = "") -> None:
        super().__init__(403, "forbidden", f"the token {token!r} {message}", hint)
        self.token = token
        self.store = store
        self.key = key


def epoch_fields(position: EpochPosition | None, stale: int = 0) -> list[tuple[bytes, bytes]]:
    """The header fields that say what an answer shows: a copy between two epochs shows none as it was."""
    epoch, token = shown_epoch(position), token_of(position)
    fields = [] if epoch is None else [(b"holdfast-epoch", str(epoch).encode())]
    if token is not None:
        fields.append((HEADER.lower().encode(), token.encode()))
    if stale:
        fields.append((b"holdfast-stale", str(stale).encode()))
    return fields


def answer(value: object) -> Response:
    """Any Python value as JSON; a response as it is."""
    return value if isinstance(value, Response) else raw(values.dumps(value))


def raw(data: bytes) -> Response:
    """JSON that is already there."""
    return Response(data, media_type=_JSON)


def error(status: int, code: str, message: str, hint: str, headers: dict[str, str] | None = None) -> Response:
    """An error in the one shape that every error has: problem details of RFC 9457, with a code and a hint."""
    given = {"code": code, "message": message, "hint": hint}
    fields = {name: text.encode(errors="replace").decode() for name, text in given.items()}
    problem = {"type": "about:blank", "title": _title(status), "status": status, "detail": fields["message"]}
    return Response(values.dumps({**problem, "error": fields}), status, headers, PROBLEM)


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def from_exception(raised: BaseException, where: str) -> Response:
    """The answer to whatever a handler raised; what we did not foresee goes to the log, not to the client."""
    if isinstance(raised, Forbidden):
        note_forbidden(raised.token, raised.store, raised.key, where)
    match raised:
        case Refusal():
            return error(raised.status, raised.code, str(raised), raised.hint, _CHALLENGE.get(raised.status))
        case UnknownStore():
            return error(404, "unknown_store", str(raised), raised.hint)
        case ShareUnavailable():
            return error(503, "share_unavailable", str(raised), raised.hint)
        case StoreNotReady():
            return error(503, "not_ready", str(raised), raised.hint)
        case KeyNotFound():
            return error(404, "key_not_found", str(raised), "the key may be spelt differently or deleted")
        case WrongType():
            return error(400, "wrong_type", str(raised), "GET /stores shows the type of every key")
        case ClientDisconnect():
            return error(400, "gone", "the client went away", "")
        case HTTPException():
            return _http(raised)
    log.error("%s failed", where, exc_info=raised)
    return error(500, "internal", f"{where} failed: {type(raised).__name__}", "the server's log has the details")


def _http(raised: HTTPException) -> Response:
    code = _CODES.get(raised.status_code, f"http_{raised.status_code}")
    hint = _HINTS.get(raised.status_code, "")
    return error(raised.status_code, code, str(raised.detail), hint, dict(raised.headers or {}))
