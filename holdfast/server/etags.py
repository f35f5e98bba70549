"""Entity tags of reads: the epoch that an answer shows, in its timeline."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.session_token import token_of

# A cache asks whether what it has is still right; the answer says so with few bytes.
_CONTROL = "no-cache"


def etag_of(position: EpochPosition | None) -> str | None:
    """The tag of what is read at a position. It is weak: the same content may be compressed in several ways.

    >>> etag_of(EpochPosition(118, "9d3c2a8e51b7"))
    'W/"9d3c2a8e51b7.118"'
    """
    token = token_of(position)
    return None if token is None else f'W/"{token}"'


def etag_fields(position: EpochPosition | None) -> list[tuple[bytes, bytes]]:
    """The header fields about the tag."""
    tag = etag_of(position)
    return [] if tag is None else [(b"etag", tag.encode()), (b"cache-control", _CONTROL.encode())]


def tagged(request: Request, response: Response, position: EpochPosition | None) -> Response:
    """An answer with its tag; without its content if the client has that already."""
    tag = etag_of(position)
    if tag is None or response.status_code != 200 or request.method not in ("GET", "HEAD"):
        return response
    if _is_known(request.headers.get("if-none-match", ""), tag):
        response = Response(status_code=304)
    response.raw_headers.extend(etag_fields(position))
    return response


def _is_known(given: str, tag: str) -> bool:
    tags = {each.strip().removeprefix("W/") for each in given.split(",")}
    return "*" in tags or tag.removeprefix("W/") in tags
