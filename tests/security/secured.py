"""A broker that wants TLS and a password, and certificates made for the occasion."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from holdfast.errors import BrokerError
from holdfast.ops.broker import Broker
from holdfast.ops.ports import choose_port

USER = "leaderboard"


@dataclass(frozen=True)
class Certificates:
    """Files in PEM: who signs, and the server's certificate with and without its key."""

    authority: Path
    chain: Path
    key: Path
    both: Path


def make_certificates(directory: Path) -> Certificates:
    directory.mkdir(parents=True, exist_ok=True)
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1", "localhost")
    made = Certificates(*(directory / name for name in ("ca.pem", "server.crt", "server.key", "server.pem")))
    authority.cert_pem.write_to_path(made.authority)
    made.chain.write_bytes(b"".join(each.bytes() for each in server.cert_chain_pems))
    # Java wants PKCS #8.
    key = load_pem_private_key(server.private_key_pem.bytes(), None)
    made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    made.both.write_bytes(made.key.read_bytes() + made.chain.read_bytes())
    return made


@dataclass(frozen=True)
class Secured:
    """Where it listens, and what a client must know."""

    address: str
    authority: Path
    password: str

    def kafka(self, password: str | None = None) -> dict[str, str]:
        return {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": USER,
            "sasl.password": password or self.password,
            "ssl.truststore.location": str(self.authority),
        }


def _settings(port: int, certificates: Certificates) -> dict[str, str]:
    scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    listener = f"SECURE://127.0.0.1:{port}"
    return {
        "listeners": listener,
        "advertised.listeners": listener,
        "listener.security.protocol.map": "SECURE:SASL_SSL",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        "listener.name.secure.scram-sha-512.sasl.jaas.config": scram,
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.both),
    }


def _started(directory: Path, certificates: Certificates, attempts: int = 3) -> tuple[Broker, int]:
    """The broker and its secured port; when another took that in the meantime, there is another attempt."""
    port = choose_port()
    try:
        return Broker(directory, settings=_settings(port, certificates)).start(), port
    except BrokerError:
        if attempts == 1:
            raise
        return _started(directory, certificates, attempts - 1)


@contextmanager
def secured_broker(directory: Path, certificates: Certificates, password: str) -> Iterator[Secured]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
        broker, port = _started(directory, certificates)
    try:
        _add_user(broker.address, password)
        yield Secured(f"127.0.0.1:{port}", certificates.authority, password)
    finally:
        broker.stop()


def _add_user(brokers: str, password: str) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    change = UserScramCredentialUpsertion(USER, info, password.encode())
    admin = AdminClient({"bootstrap.servers": brokers})
    for future in admin.alter_user_scram_credentials([change]).values():
        future.result(30)
