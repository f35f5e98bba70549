"""Heads of requests as bytes, as far as one may judge them without a parser: only those that leave no doubt."""

from __future__ import annotations

import re

_LINES = rb"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]++:[\t\x20-\x7e]*+\r\n)*+\r\n"
_HEAD = re.compile(rb"(?:GET|HEAD|POST) [\x21-\x7e]++ HTTP/1\.1\r\n" + _LINES)
_FIELDS = re.compile(rb"\r\n" + _LINES)
_FRAMING = re.compile(rb"\r\n(content-length|transfer-encoding|upgrade|expect)[ \t]*:[ \t]*([^\r\n]*)", re.IGNORECASE)
_SPECIAL = re.compile(
    rb"\r\n(?:content-length|transfer-encoding|upgrade|expect|trailer|origin|sec-fetch-[a-z]+|"
    rb"connection(?!:[ \t]*keep-alive[ \t]*\r\n))[ \t]*:",
    re.IGNORECASE,
)

Fields = list[tuple[bytes, bytes]]


def body_to_come(data: bytes) -> int | None:
    """How many bytes of a body follow what begins with a request's head; below 0 if there is more, None in doubt.

    >>> body_to_come(b"POST / HTTP/1.1\\r\\nContent-Length: 5\\r\\n\\r\\n12")
    3
    """
    head = _HEAD.match(data)
    if head is None:
        return None
    found = _FRAMING.findall(head[0])
    if not found:
        return head.end() - len(data)
    name, length = found[0]
    if len(found) > 1 or name.lower() != b"content-length" or not length.isdigit() or len(length) > 12:
        return None
    return int(length) + head.end() - len(data)


def plain_fields(block: bytes) -> Fields | None:
    """The fields of a head, without its first line, that has no body and keeps the connection; None in doubt.

    >>> plain_fields(b"\\r\\nHost: localhost\\r\\n\\r\\n")
    [(b'host', b'localhost')]
    """
    if not _FIELDS.fullmatch(block) or _SPECIAL.search(block):
        return None
    lines = (line.partition(b":") for line in block[2:-4].split(b"\r\n") if line)
    return [(name.lower(), value.strip(b" \t")) for name, _, value in lines]
