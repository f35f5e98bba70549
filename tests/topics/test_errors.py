"""Every exception that reaches a user is one of Holdfast's, and drawn in one place."""

import ast
from pathlib import Path

import pytest
from confluent_kafka import Producer

from holdfast import errors
from holdfast.topics.records import Record
from holdfast.topics.transfer import send

SOURCES = (Path(errors.__file__).parent).rglob("*.py")
CLASSES = [node for path in SOURCES for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)]


def kinds_of(base: str) -> set[str]:
    """The names of the classes that are made of one, and of those that are made of them."""
    own = {each.name for each in CLASSES if any(isinstance(b, ast.Name) and b.id == base for b in each.bases)}
    return own.union(*map(kinds_of, own))


def test_every_exception_is_drawn_in_the_tree():
    found = kinds_of("HoldfastError")
    assert len(found) > 20
    assert {name for name in found if f"─ {name} " not in (errors.__doc__ or "")} == set()


def test_a_record_that_the_client_cannot_take_is_refused_in_our_words():
    producer = Producer({"bootstrap.servers": "127.0.0.1:1", "message.max.bytes": 1000}, logger=None)
    with pytest.raises(errors.BrokerError, match=r"a record for topic 'large' .* 2,000 bytes are too large.*; split"):
        send(producer, Record("large", None, b"x" * 2000), lambda error, message: None)
