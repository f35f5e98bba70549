"""What servers of one app ask each other, as bytes, signed with the secret that they share."""

from __future__ import annotations

import hmac
import time
from hashlib import sha256

import msgspec

PATH = "/share"
SIGNATURE = "holdfast-signature"
_SKEW = 60.0


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A read of some shares of a store at an epoch, None for now; `caller` is the token that it is asked for.

    A server that is not at that epoch yet lets the question wait for it, unless it is `hurried`. The epoch is one of a
    timeline, if the app says in which it counts.
    """

    operation: str
    store: str
    types: bytes
    shares: list[int]
    of: int
    epoch: int | None
    keys: list[bytes] = []
    low: bytes | None = None
    high: bytes | None = None
    reverse: bool = False
    time: int | None = None
    caller: str = ""
    hurried: bool = False
    timeline: str | None = None


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was found; or why not, and the epoch at which it would be."""

    values: list[bytes | None] = []
    rows: list[tuple[bytes, bytes]] = []
    versions: list[tuple[int, bytes | None]] = []
    number: int = 0
    more: bool = False
    refused: str = ""
    epoch: int | None = None


class WrongSignature(Exception):
    """Bytes that do not come from who knows the secret, or are too old."""


def encode(said: Question | Answer) -> bytes:
    """As it is sent."""
    return msgspec.msgpack.encode(said)


def question(data: bytes) -> Question:
    """A question as it was sent."""
    return msgspec.msgpack.decode(data, type=Question)


def answer(data: bytes) -> Answer:
    """An answer as it was sent."""
    return msgspec.msgpack.decode(data, type=Answer)


def sign(secret: bytes, body: bytes, of: str = "", now: float | None = None) -> str:
    """A signature; that of an answer is one of its question, too."""
    at = str(int(time.time() if now is None else now))
    return f"{at} {_mac(secret, at, of, body)}"


def check(secret: bytes, body: bytes, signature: str, of: str = "", now: float | None = None) -> None:
    """Refuse what was not signed with the secret, or long ago."""
    at, _, mac = signature.partition(" ")
    if not hmac.compare_digest(mac.encode(), _mac(secret, at, of, body).encode()):
        raise WrongSignature("it is not signed with the secret of these servers")
    if not at.isdigit() or abs((time.time() if now is None else now) - int(at)) > _SKEW:
        raise WrongSignature(f"it was signed more than {_SKEW:g} s ago, or the clocks of the machines differ")


def _mac(secret: bytes, at: str, of: str, body: bytes) -> str:
    said = b"\n".join([b"holdfast", at.encode(), of.encode(), sha256(body).digest()])
    return hmac.new(secret, said, sha256).hexdigest()
