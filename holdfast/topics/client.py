"""Client settings: the names of Kafka's Java clients, as librdkafka wants them."""

import logging
import re
from collections.abc import Mapping
from typing import Any

from holdfast.errors import BrokerError

# librdkafka talks on stderr otherwise; whoever wants to hear it sets up this logger.
LOGGER = logging.getLogger("holdfast.kafka")
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False

RENAMED = {
    "ssl.truststore.certificates": "ssl.ca.pem",
    "ssl.keystore.certificate.chain": "ssl.certificate.pem",
    "ssl.keystore.key": "ssl.key.pem",
    "sasl.login.callback.handler.class": "",
}

# Settings that only the Java clients have, or whose meaning is folded into another one here.
JAVA_ONLY = re.compile(
    r"(key|value)\.(de)?serializer(\..*)?|max\.poll\.records|default\.api\.timeout\.ms|request\.timeout\.ms|"
    r"max\.block\.ms|buffer\.memory|delivery\.timeout\.ms|transaction(al)?\..*|auto\.offset\.reset|group\.id|"
    r"interceptor\.classes|metric.*|reporters|ssl\.(trust|key)store\.type|ssl\.truststore\.(location|password)|"
    r"ssl\.protocol|ssl\.enabled\.protocols|sasl\.jaas\.config|sasl\.login\..*|sasl\.client\..*"
)


def client_settings(brokers: str, kafka: Mapping[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """Give the configuration of a librdkafka client for settings in the Java clients' names."""
    given = dict(kafka or {})
    settings: dict[str, Any] = {}
    for name, value in given.items():
        if name in RENAMED:
            settings |= {RENAMED[name]: value} if RENAMED[name] else {}
        elif not JAVA_ONLY.fullmatch(name):
            settings[name] = value
    if given.get("ssl.endpoint.identification.algorithm") == "":
        settings["ssl.endpoint.identification.algorithm"] = "none"
    settings |= _login(given) | _trust(given)
    return {**settings, "bootstrap.servers": brokers, **_PLAIN, **more}


_PLAIN = {"reconnect.backoff.ms": 50, "reconnect.backoff.max.ms": 1000, "client.id": "holdfast"}


def _login(given: Mapping[str, str]) -> dict[str, str]:
    """Take user and password out of a JAAS line."""
    jaas = given.get("sasl.jaas.config", "")
    found = dict(re.findall(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"', jaas))
    return {f"sasl.{name}": re.sub(r"\\(.)", r"\1", text) for name, text in found.items()}


def _trust(given: Mapping[str, str]) -> dict[str, str]:
    location = given.get("ssl.truststore.location")
    if not location:
        return {}
    kind = given.get("ssl.truststore.type", "PEM" if location.endswith((".pem", ".crt")) else "JKS")
    if kind.upper() == "PEM":
        return {"ssl.ca.location": location}
    raise BrokerError(
        f"kafka setting ssl.truststore.location: {location} is a {kind} store, which only Java reads; give the "
        "certificates as PEM (ssl.truststore.type = PEM), which both of Holdfast's clients understand"
    )
