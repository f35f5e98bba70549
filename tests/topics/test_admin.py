"""Topics on a real broker."""

from collections.abc import Callable

import pytest

from holdfast.errors import BrokerError
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

pytestmark = pytest.mark.broker


def test_ensure_creates_what_is_missing_and_nothing_twice(topics: Topics) -> None:
    specs = [TopicSpec("ensured-events", 3), TopicSpec("ensured-players", 2, compacted=True)]
    assert topics.ensure(specs) == ["ensured-events", "ensured-players"]
    assert topics.ensure(specs) == []
    events, players = topics.describe(["ensured-events", "ensured-players"])
    assert (events.partitions, events.compacted) == (3, False)
    assert (players.partitions, players.compacted) == (2, True)


def test_ensure_takes_any_number_of_partitions_when_none_is_asked(
    topics: Topics, new_topic: Callable[..., str]
) -> None:
    name = new_topic(partitions=5)
    assert topics.ensure([TopicSpec(name)]) == []


def test_a_topic_that_does_not_fit_is_named_and_not_changed(topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic(partitions=2)
    with pytest.raises(BrokerError) as refused:
        topics.ensure([TopicSpec(name, 4, compacted=True)])
    assert f"topic '{name}' has 2 partitions, 4 are wanted" in str(refused.value)
    assert f"topic '{name}' has cleanup.policy 'delete', 'compact' is wanted" in str(refused.value)
    (after,) = topics.describe([name])
    assert (after.partitions, after.compacted) == (2, False)


def test_a_topic_that_keeps_every_record_is_made_so_and_not_taken_compacted(
    topics: Topics, new_topic: Callable[..., str]
) -> None:
    assert topics.ensure([TopicSpec("ensured-letters", 1, every_record=True)]) == ["ensured-letters"]
    assert topics.describe(["ensured-letters"])[0].config["cleanup.policy"] == "delete"
    topics.create(TopicSpec("compacted-letters", 1, compacted=True))
    with pytest.raises(BrokerError, match="topic 'compacted-letters' has cleanup.policy 'compact', 'delete' is wanted"):
        topics.ensure([TopicSpec("compacted-letters", every_record=True)])


def test_create_refuses_a_name_that_is_taken(topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic()
    with pytest.raises(BrokerError, match=f"topic '{name}' already exists"):
        topics.create(TopicSpec(name))


def test_a_topic_is_made_though_the_answer_was_lost_and_the_request_repeated(topics: Topics, monkeypatch) -> None:
    name, request = "repeated-topic", topics._request

    def repeated(specs, **preferring):
        request(specs, **preferring)
        return request(specs, **preferring)

    monkeypatch.setattr(topics, "_request", repeated)
    topics.create(TopicSpec(name, 3))
    assert topics.describe([name])[0].partitions == 3


def test_create_reports_a_setting_that_kafka_refuses(topics: Topics) -> None:
    with pytest.raises(BrokerError, match=r"'odd-topic' was not created.*no.such.setting"):
        topics.create(TopicSpec("odd-topic", config={"no.such.setting": "1"}))


def test_an_unknown_topic_gets_a_suggestion(topics: Topics) -> None:
    topics.ensure([TopicSpec("score-events")])
    suggestion = (
        r"topic 'score-event' does not exist.*did you mean 'score-events'\?; to make it: holdfast topics create"
    )
    with pytest.raises(BrokerError, match=suggestion):
        topics.read("score-event")


def test_records_come_back_as_they_were_written(topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic()
    written = [
        Record(name, b"1", b"one", 1_700_000_000_000, (("why", b"test"),)),
        Record(name, b"1", None, 1_700_000_000_001),
        Record(name, None, b"", 1_700_000_000_002),
    ]
    assert topics.produce(written) == 3
    read = topics.read(name)
    assert [(r.key, r.value, r.timestamp, r.headers) for r in read] == [
        (b"1", b"one", 1_700_000_000_000, (("why", b"test"),)),
        (b"1", None, 1_700_000_000_001, ()),
        (None, b"", 1_700_000_000_002, ()),
    ]
    assert [(r.partition, r.offset) for r in read] == [(0, 0), (0, 1), (0, 2)]


def test_keys_go_to_the_partitions_that_java_clients_choose(topics: Topics, new_topic: Callable[..., str]) -> None:
    """Murmur2 of "21" is -973932308, of "foobar" -790332482, by org.apache.kafka.common.utils.UtilsTest."""
    name = new_topic(partitions=100)
    topics.produce([Record(name, b"21", b""), Record(name, b"foobar", b"")])
    wanted = {b"21": (-973932308 & 0x7FFFFFFF) % 100, b"foobar": (-790332482 & 0x7FFFFFFF) % 100}
    assert {r.key: r.partition for r in topics.read(name)} == wanted


def test_reading_stops_at_the_end_of_every_partition(topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic(partitions=4)
    topics.produce(Record(name, str(n).encode(), b"x") for n in range(500))
    assert len(topics.read(name)) == 500


def test_reading_from_the_end_sees_only_what_comes_later(topics: Topics, new_topic: Callable[..., str]) -> None:
    name = new_topic()
    topics.produce([Record(name, None, b"before")])
    assert list(topics.consume([name], idle=1)) == []


def test_a_broker_that_does_not_answer_is_named_with_the_ways_out() -> None:
    with pytest.raises(BrokerError) as refused:
        Topics("127.0.0.1:1").existing(timeout=0.5)
    for part in ("127.0.0.1:1", "--brokers", "HOLDFAST_BROKERS", "--dev"):
        assert part in str(refused.value)


def test_a_setting_that_the_client_refuses_is_named() -> None:
    with pytest.raises(BrokerError, match=r'client settings are refused.*"no.such.thing"'):
        Topics("127.0.0.1:1", {"no.such.thing": "1"}).existing()


def test_a_topic_is_made_without_settings_that_the_broker_does_not_know(topics: Topics) -> None:
    kept = {"message.timestamp.after.max.ms": "7200000"}
    new = {"no.such.setting": "1"}
    made = topics.ensure([TopicSpec("older-broker", preferred=new), TopicSpec("newer-broker", 2, preferred=kept)])
    assert sorted(made) == ["newer-broker", "older-broker"]
    assert topics.describe(["newer-broker"])[0].config["message.timestamp.after.max.ms"] == "7200000"
