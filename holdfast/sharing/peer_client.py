"""Asks other servers, over connections that are kept."""

from __future__ import annotations

import ssl
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
import msgspec
from msgspec.structs import replace

from holdfast.sharing import wire
from holdfast.sharing.membership import Member, Membership
from holdfast.sharing.parts import PeerFailed
from holdfast.sharing.wire import Answer, Question

_TIMEOUT = httpx.Timeout(5.0, connect=1.0)
_LIMITS = httpx.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=4.0)
_AVOID = 3.0


class PeerClient:
    """The other servers, each asked at the address that it names; one that failed is asked last for a while."""

    def __init__(self, membership: Membership, secret: str, authority: Path | None = None) -> None:
        self._membership = membership
        self._secret = secret.encode()
        trust = ssl.create_default_context(cafile=authority)
        self._http = httpx.Client(timeout=_TIMEOUT, limits=_LIMITS, verify=trust, trust_env=False)
        self._failed: dict[str, float] = {}
        self._behind: dict[str, float] = {}

    def owners(self, share: int, of: int) -> Sequence[str]:
        """Those that hold a share, the freshest first, and those last that did not answer a moment ago."""
        now = time.monotonic()

        def order(member: Member) -> tuple[bool, int]:
            return now - self._failed.get(member.name, -_AVOID) < _AVOID, -(member.epoch(share) or 0)

        held = [each for each in self._membership.others(of) if each.epoch(share) is not None]
        return [each.name for each in sorted(held, key=order)]

    def ask(self, server: str, question: Question) -> Answer:
        """The answer of one; `PeerFailed` if there is none."""
        member = next((each for each in self._membership.others(question.of) if each.name == server), None)
        if member is None:
            raise PeerFailed(f"{server} is gone")
        is_behind = time.monotonic() - self._behind.get(server, -_AVOID) < _AVOID
        body = wire.encode(replace(question, hurried=is_behind))
        signature = wire.sign(self._secret, body)
        try:
            reply = self._http.post(member.said.url + wire.PATH, content=body, headers={wire.SIGNATURE: signature})
            answer = self._read(reply, signature)
        except (httpx.HTTPError, wire.WrongSignature, msgspec.DecodeError) as error:
            self._failed[server] = time.monotonic()
            raise PeerFailed(f"{member.said.url} does not answer: {error!r}") from None
        if answer.refused:
            if answer.epoch is not None and not is_behind:
                self._behind[server] = time.monotonic()  # the next ones need not wait for it in vain
            raise PeerFailed(f"{member.said.url}: {answer.refused}", answer.epoch)
        return answer

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _read(self, reply: httpx.Response, signature: str) -> Answer:
        if reply.status_code != 200:
            raise wire.WrongSignature(f"status {reply.status_code}: {reply.text[:200]}")
        wire.check(self._secret, reply.content, reply.headers.get(wire.SIGNATURE, ""), signature)
        return wire.answer(reply.content)
