"""Requests that a page of another site makes a browser send: Host, Origin and Sec-Fetch-Site show them.

A browser on the machine of a server reaches what listens there, and so does every page that it shows. A name of the
page's own that resolves to this machine (DNS rebinding) stands in Host, the site that a request comes from in Origin.
"""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import Scope

from holdfast.server.access import LOCAL_NAMES, Access
from holdfast.server.responses import Refusal

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\s/?#@:\[\]]+)(?::([0-9]{1,5}))?", re.IGNORECASE)
_PORTS = {"http": 80, "https": 443}
_ELSEWHERE = ("cross-site", "same-site")


def check_host(headers: Headers) -> None:
    """Refuse a Host that is none; what asks for a request's address would fail."""
    host = headers.get("host", "")
    if host and not _AUTHORITY.fullmatch(host):
        raise Refusal(400, "bad_host", f"{host[:80]!r} is no host", "send the header Host: NAME or NAME:PORT")


def check(scope: Scope, headers: Headers, access: Access, served: str) -> None:
    """Refuse a request for another host than the one that is served, and one that another site has caused."""
    host = headers.get("host", "")
    if _name(host) not in _names(scope, access, served):
        hint = "ask for the address that is served or for localhost; --allow-host NAME allows another"
        raise Refusal(403, "wrong_host", f"this server is not {host[:80]!r}", hint)
    origin = headers.get("origin")
    if origin is not None and _place(origin) != _place(f"{scope['scheme']}://{host}"):
        hint = "give the server a token, which requests from everywhere may carry"
        raise Refusal(403, "wrong_origin", f"requests from {origin[:80]!r} are not answered", hint)
    if headers.get("sec-fetch-site") in _ELSEWHERE and not _is_link(scope, headers):
        hint = "open the address itself, or give the server a token"
        raise Refusal(403, "wrong_origin", "requests from another site are not answered", hint)


def _names(scope: Scope, access: Access, served: str) -> set[str]:
    local = (scope.get("server") or ("",))[0]
    return {*LOCAL_NAMES, *(each.lower() for each in (served, local, *access.hosts))} - {""}


def _name(authority: str) -> str | None:
    """The host of `host:port`, without the brackets of an IPv6 address; None if it is none."""
    match = _AUTHORITY.fullmatch(authority)
    return match[1].strip("[]").rstrip(".").lower() if match else None


def _place(origin: str) -> tuple[str, str | None, int] | None:
    """Scheme, host and port."""
    scheme, _, authority = origin.partition("://")
    match = _AUTHORITY.fullmatch(authority)
    if match is None or scheme not in _PORTS:
        return None
    return scheme, _name(authority), int(match[2] or _PORTS[scheme])


def _is_link(scope: Scope, headers: Headers) -> bool:
    """Whether somebody has followed a link: what comes back is shown, and the other site does not see it."""
    return (
        scope.get("method") in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
