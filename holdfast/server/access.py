"""Who may ask a server: a token, TLS, and the names under which it is asked."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path

from holdfast.errors import HoldfastError

LOCAL_NAMES = frozenset(["localhost", "127.0.0.1", "::1"])


@dataclass(frozen=True)
class Access:
    """A bearer token that requests must carry, and a certificate with its key for TLS; None for neither.

    The token may read everything; a file of `rights` has more tokens, and what each of them may read.

    Without a token a server listens where only this machine is, unless it is `public`, and is asked under its own
    address, a local name or one of `hosts`. Where other machines are, it answers SQL if `sql` says so. It
    writes records if `produce` does.
    """

    token: str | None = field(default=None, repr=False)
    certificate: Path | None = None
    key: Path | None = None
    public: bool = False
    hosts: tuple[str, ...] = ()
    sql: bool = False
    rights: Path | None = None
    produce: bool = False

    @property
    def wants_token(self) -> bool:
        """Whether requests must carry a token."""
        return self.token is not None or self.rights is not None

    def checked(self) -> Access:
        """The same, if it can be used."""
        if self.token is not None and (len(self.token) < 8 or not self.token.isascii() or not self.token.isprintable()):
            raise HoldfastError("the server's token has fewer than 8 letters, or others than printable ASCII")
        if self.wants_token and self.public:
            raise HoldfastError("the server has a token, and --no-token says that it has none: leave one of them out")
        if (self.certificate is None) != (self.key is None):
            raise HoldfastError("TLS wants a certificate and its key: give both --tls-cert and --tls-key, or neither")
        if self.certificate is not None and self.key is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
            except (OSError, ssl.SSLError) as error:
                why = error.strerror or error
                raise HoldfastError(f"the server cannot use {self.certificate} with {self.key}: {why}") from None
        return self

    def answers_sql(self, host: str) -> bool:
        """Whether SQL is answered by a server that listens there: a query can take much memory."""
        return self.sql or is_loopback(host)

    def refuse_open_address(self, host: str) -> None:
        """Refuse to listen where other machines are, for everybody, unless that was asked for."""
        if not self.wants_token and not self.public and not is_loopback(host):
            raise HoldfastError(
                f"--host {host} can be reached from other machines, and the server has no token: give it one with "
                "--token-file or HOLDFAST_TOKEN, or several with --rights, listen on 127.0.0.1, or say --no-token to "
                "answer everybody"
            )


EVERYBODY = Access()


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; a name is taken for all addresses that it stands for."""
    if not host:
        return False
    try:
        found = {each[4][0] for each in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return True  # nobody can listen there, which the server says when it starts
    return all(_is_local(str(address)) for address in found)


def _is_local(text: str) -> bool:
    address = ip_address(text.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
