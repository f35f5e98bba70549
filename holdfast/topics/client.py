"""Client settings: one set of names for Kafka's Java clients and for librdkafka."""

import logging
import re
from collections.abc import Mapping

from holdfast.errors import BrokerError

# librdkafka talks on stderr otherwise; whoever wants to hear it sets up this logger.
LOGGER = logging.getLogger("holdfast.kafka")
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False

ClientSettings = dict[str, str | int | float | bool]

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
    r"interceptor\.classes|metric.*|reporters|ssl\.(trust|key)store\.(type|location)|ssl\.truststore\.password|"
    r"ssl\.protocol|ssl\.enabled\.protocols|sasl\.jaas\.config|sasl\.login\..*|sasl\.client\..*"
)

# Settings that only librdkafka has; `java_settings` says the same in Java's words.
PYTHON_ONLY = ("sasl.username", "sasl.password", "sasl.mechanisms", "ssl.ca.location", "ssl.ca.pem")
MODULES = {"PLAIN": "plain.PlainLoginModule", "SCRAM": "scram.ScramLoginModule"}
PEM_FILES = (".pem", ".crt", ".cer")


def client_settings(
    brokers: str, kafka: Mapping[str, str] | None = None, **more: str | int | float | bool
) -> ClientSettings:
    """Give the configuration of a librdkafka client for settings in the Java clients' names."""
    given = dict(kafka or {})
    settings: ClientSettings = {}
    for name, value in given.items():
        if name in RENAMED:
            settings |= {RENAMED[name]: value} if RENAMED[name] else {}
        elif not JAVA_ONLY.fullmatch(name):
            settings[name] = value
    if given.get("ssl.endpoint.identification.algorithm") == "":
        settings["ssl.endpoint.identification.algorithm"] = "none"
    settings |= _login(given) | _trust(given) | _identity(given)
    return {**settings, "bootstrap.servers": brokers, **_PLAIN, **more}


_PLAIN: ClientSettings = {"reconnect.backoff.ms": 50, "reconnect.backoff.max.ms": 1000, "client.id": "holdfast"}


def java_settings(kafka: Mapping[str, str]) -> dict[str, str]:
    """Give the configuration of a Java client; names that only librdkafka has are translated.

    >>> java_settings({"ssl.ca.location": "/etc/ca.pem"})
    {'ssl.truststore.location': '/etc/ca.pem', 'ssl.truststore.type': 'PEM'}
    """
    settings = {name: value for name, value in kafka.items() if name not in PYTHON_ONLY}
    if "ssl.ca.location" in kafka:
        settings |= {"ssl.truststore.location": kafka["ssl.ca.location"], "ssl.truststore.type": "PEM"}
    if "ssl.ca.pem" in kafka:
        settings |= {"ssl.truststore.certificates": kafka["ssl.ca.pem"], "ssl.truststore.type": "PEM"}
    for store in ("ssl.truststore", "ssl.keystore"):
        if settings.get(f"{store}.location", "").endswith(PEM_FILES):
            settings.setdefault(f"{store}.type", "PEM")
    if "sasl.mechanisms" in kafka:
        settings.setdefault("sasl.mechanism", kafka["sasl.mechanisms"])
    if "sasl.username" in kafka and "sasl.jaas.config" not in kafka:
        settings["sasl.jaas.config"] = _jaas(kafka, settings.get("sasl.mechanism", ""))
    return settings


def _jaas(kafka: Mapping[str, str], mechanism: str) -> str:
    module = MODULES.get(mechanism.partition("-")[0].upper())
    if module is None:
        raise BrokerError(
            f"kafka setting sasl.username: with sasl.mechanism = {mechanism or 'nothing'} the Java clients want "
            f"sasl.jaas.config; user and password are for {', '.join(MODULES)}"
        )
    user, password = (_escaped(kafka.get(f"sasl.{name}", "")) for name in ("username", "password"))
    return f'org.apache.kafka.common.security.{module} required username="{user}" password="{password}";'


def _escaped(text: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", text)


def _login(given: Mapping[str, str]) -> dict[str, str]:
    """Take user and password out of a JAAS line."""
    jaas = given.get("sasl.jaas.config", "")
    found = dict(re.findall(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"', jaas))
    return {f"sasl.{name}": re.sub(r"\\(.)", r"\1", text) for name, text in found.items()}


def _trust(given: Mapping[str, str]) -> dict[str, str]:
    location = given.get("ssl.truststore.location")
    if not location:
        return {}
    kind = _kind(given, "ssl.truststore")
    if kind == "PEM":
        return {"ssl.ca.location": location}
    raise BrokerError(
        f"kafka setting ssl.truststore.location: {location} is a {kind} store, which only Java reads; give the "
        "certificates as PEM (ssl.truststore.type = PEM), which both of Holdfast's clients understand"
    )


def _identity(given: Mapping[str, str]) -> dict[str, str]:
    """The client's own key and certificate: a PEM file that holds both, or PKCS #12."""
    location = given.get("ssl.keystore.location")
    if not location:
        return {}
    kind = _kind(given, "ssl.keystore")
    if kind == "PEM":
        return {"ssl.certificate.location": location, "ssl.key.location": location}
    if kind == "PKCS12":
        return {"ssl.keystore.location": location}
    raise BrokerError(
        f"kafka setting ssl.keystore.location: {location} is a {kind} store, which only Java reads; give key and "
        "certificates in one PEM file (ssl.keystore.type = PEM) or as PKCS12, which both of Holdfast's clients read"
    )


def _kind(given: Mapping[str, str], store: str) -> str:
    location = given[f"{store}.location"]
    usual = "PEM" if location.endswith(PEM_FILES) else "PKCS12" if location.endswith((".p12", ".pfx")) else "JKS"
    return given.get(f"{store}.type", usual).upper()
