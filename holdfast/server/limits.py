"""What the server bears: sizes, numbers and times, and who may ask."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.errors import HoldfastError


@dataclass(frozen=True)
class Limits:
    """Times are in seconds; a client that takes longer is hung up on."""

    body: int = 1 << 20
    head: float = 10
    upload: float = 30
    answer: float = 30
    reader: float = 30
    requests: int = 200
    connections: int = 1000


@dataclass(frozen=True)
class Access:
    """A bearer token that requests must carry, and a certificate with its key for TLS; None for neither."""

    token: str | None = field(default=None, repr=False)
    certificate: Path | None = None
    key: Path | None = None

    def checked(self) -> Access:
        """The same, if it can be used."""
        if self.token is not None and (len(self.token) < 8 or not self.token.isascii() or not self.token.isprintable()):
            raise HoldfastError("the server's token has fewer than 8 letters, or others than printable ASCII")
        if (self.certificate is None) != (self.key is None):
            raise HoldfastError("TLS wants a certificate and its key: give both --tls-cert and --tls-key, or neither")
        if self.certificate is not None and self.key is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
            except (OSError, ssl.SSLError) as error:
                why = error.strerror or error
                raise HoldfastError(f"the server cannot use {self.certificate} with {self.key}: {why}") from None
        return self


EVERYBODY = Access()
USUAL = Limits()
