"""Dead letters read from their headers, and in what order they go back."""

import dataclasses

from holdfast.topics.letters import Letter, NodeInput, in_order, letter, replayed_key
from holdfast.topics.records import Record

FACTS = {
    "hf-topic": "orders",
    "hf-partition": "2",
    "hf-offset": "7",
    "hf-node": "orders",
    "hf-reason": "bad",
    "hf-time": "99",
}


def record(own: tuple[tuple[str, bytes | None], ...] = (), **more: str) -> Record:
    facts = tuple((name, text.encode()) for name, text in {**FACTS, **more}.items())
    return Record("shop-dead-letters", b"k", b"v", 50, (*own, *facts), 1, 4)


def made(**fields: object) -> Letter:
    found = letter(record())
    assert found is not None
    return dataclasses.replace(found, **fields)  # type: ignore[arg-type]


def test_a_letter_knows_its_record_and_its_place():
    found = letter(record((("trace", b"1"),), **{"hf-original": "gone"}))
    assert found is not None
    assert (found.id, found.topic, found.partition, found.offset) == ("1/4", "orders", 2, 7)
    assert (found.headers, found.gone, found.seen) == ((("trace", b"1"),), True, None)


def test_headers_of_another_app_stay_with_the_record():
    theirs = (
        ("hf-topic", b"other"), ("hf-reason", b"theirs"), ("hf-original", b"gone"), ("hf-replayed", b"?"),
        ("hf-seen", b"record"), ("hf-port", b"x"),
    )  # fmt: skip
    found = letter(record(theirs))
    assert found is not None
    assert (found.topic, found.reason, found.headers) == ("orders", "bad", theirs)
    assert (found.gone, found.attempt, found.seen, found.port) == (False, 0, None, 0)


def test_a_fact_without_a_value_is_none():
    found = letter(dataclasses.replace(record(), headers=(*record().headers, ("hf-replayed", None), ("hf-seen", None))))
    assert found is not None
    assert (found.attempt, found.seen) == (0, None)


def test_the_key_of_a_replay_is_not_a_header_of_its_record():
    sent = made(headers=(("hf-key", b"theirs"),)).replayed("shop", b"id", NodeInput(None, b"v"), "orders")
    assert replayed_key(sent) is None
    assert replayed_key(made().replayed("shop", b"id", NodeInput(b"k", b"v"), "orders")) == b"k"


def test_what_the_node_saw():
    found = [letter(record(**facts)) for facts in ({"hf-seen": "headers", "hf-value": "5"}, {"hf-seen": "record"})]
    assert [each and each.seen for each in found] == [NodeInput(None, b"5"), NodeInput(b"k", b"v")]


def test_other_records_are_no_letters():
    assert letter(Record("shop-dead-letters", b"k", b"v", 50, (("a", b"b"),), 0, 0)) is None
    assert letter(record(**{"hf-offset": "?"})) is None
    assert letter(record(**{"hf-path": "xyz"})) is None
    assert letter(record(**{"hf-path": ""})) is None


def test_identity_is_that_of_the_original_and_the_attempt():
    assert made().identity() == b"orders/2/7/orders/00#0"
    assert made(attempt=1).identity() != made().identity()
    assert made(id="3/9").identity() == made().identity()
    assert made(id="3/9").identity({"orders"}) == b"letter/3/9#0"


def test_a_replay_without_a_value_has_one_in_the_topic():
    sent = made().replayed("shop", b"id", NodeInput(None, None), "orders")
    assert (sent.topic, sent.key, sent.value, sent.partition) == ("shop-replay", b"id", b"", 0)
    assert ("hf-null", b"value") in sent.headers
    assert "hf-key" not in dict(sent.headers)


def test_by_original_time_and_within_a_partition_by_offset():
    times = [("a", 0, 1, 30), ("a", 0, 2, 10), ("b", 0, 1, 20), ("a", 0, 3, 40)]
    letters = [made(topic=t, partition=p, offset=o, timestamp=at) for t, p, o, at in times]
    ordered = in_order(reversed(letters))
    assert [(each.topic, each.offset) for each in ordered] == [("b", 1), ("a", 1), ("a", 2), ("a", 3)]
