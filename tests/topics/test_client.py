"""Client settings: from the Java clients' names to librdkafka's."""

import pytest

from holdfast.errors import BrokerError
from holdfast.topics.client import client_settings


def mapped(**given: str) -> dict[str, object]:
    settings = client_settings("b:9092", {name.replace("__", "."): value for name, value in given.items()})
    plain = client_settings("b:9092")
    return {name: value for name, value in settings.items() if name not in plain}


def test_settings_with_the_same_name_pass_through() -> None:
    assert mapped(security__protocol="SASL_SSL") == {"security.protocol": "SASL_SSL"}


def test_a_jaas_line_becomes_user_and_password() -> None:
    jaas = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="a\\"b";'
    assert mapped(sasl__jaas__config=jaas) == {"sasl.username": "me", "sasl.password": 'a"b'}


def test_pem_certificates_are_renamed() -> None:
    assert mapped(ssl__truststore__certificates="CA", ssl__keystore__key="KEY") == {
        "ssl.ca.pem": "CA",
        "ssl.key.pem": "KEY",
    }


def test_a_pem_trust_store_becomes_the_location_of_the_authority() -> None:
    given = {"ssl__truststore__location": "/ca", "ssl__truststore__type": "PEM"}
    assert mapped(**given) == {"ssl.ca.location": "/ca"}


def test_a_java_trust_store_is_refused_with_the_way_out() -> None:
    with pytest.raises(BrokerError, match=r"/ca\.jks is a JKS store.*PEM"):
        mapped(ssl__truststore__location="/ca.jks")


def test_settings_that_only_java_has_are_left_out() -> None:
    assert mapped(max__poll__records="10", buffer__memory="1") == {}
