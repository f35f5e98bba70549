"""The password of the local broker: made once, in a file that only its user may read."""

import secrets
from pathlib import Path

from holdfast.private_files import write_private

USER = "holdfast"
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


def file_of(home: Path) -> Path:
    """The file with the password of the broker in `home`."""
    return home / "password"


def make(home: Path) -> None:
    """Give the broker a password, unless it has one."""
    if not file_of(home).exists():
        write_private(file_of(home), secrets.token_urlsafe(32))


def client_settings(file: Path) -> dict[str, str]:
    """The settings of a client that has it."""
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": USER,
        "sasl.password": file.read_text().strip(),
    }


def server_settings(file: Path) -> dict[str, str]:
    """What makes both listeners of the broker ask for it; a password has no character that JAAS would have to quote."""
    known = file.read_text().strip()
    login = f'{_MODULE} required username="{USER}" password="{known}" user_{USER}="{known}";'
    return {
        "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.mechanism.controller.protocol": "PLAIN",
        "listener.name.plaintext.plain.sasl.jaas.config": login,
        "listener.name.controller.plain.sasl.jaas.config": login,
    }
