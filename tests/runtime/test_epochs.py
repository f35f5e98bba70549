"""What is asked of topics that have just been made, when the broker that leads them does not know of it yet."""

from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

import holdfast as hf
from holdfast.errors import BrokerError
from holdfast.runtime import epochs


def program():
    """A program with one store that has a changelog."""
    app = hf.App("new")
    app.stream("orders", str, key=str).group_by_key().count(store="orders-of")
    return app.topology


PLAN = program()
CHANGELOG = "new-orders-of-changelog"


class NewTopic:
    """A changelog of one partition, of which the broker knows after some answers that it does not."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)

    def describe(self, names):
        return {name: SimpleNamespace(name=name, partitions=(0,)) for name in names}

    def ends(self, partitions):
        if self.answers:
            raise KafkaException(KafkaError(self.answers.pop(0)))
        return dict.fromkeys(partitions, 7)

    def close(self):
        pass


@pytest.mark.parametrize(
    "passing",
    [
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
    ],
)
def test_a_topic_that_is_too_new_is_asked_again(monkeypatch, passing):
    monkeypatch.setattr(epochs, "Changelog", lambda settings: NewTopic(passing, passing))
    assert epochs.changelog_ends("nowhere:1", {}, PLAN) == {CHANGELOG: {"0": 7}}


def test_what_waiting_does_not_change_is_an_error(monkeypatch):
    monkeypatch.setattr(epochs, "Changelog", lambda settings: NewTopic(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    with pytest.raises(BrokerError, match="the ends of the changelogs are not known: .*authori"):
        epochs.changelog_ends("nowhere:1", {}, PLAN)
