"""A hot key with half of all traffic, values of a megabyte, long keys and far times, with little memory for state."""

import os

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.topics.records import Record

COUNT = int(os.environ.get("LOAD_RECORDS", "0"))
LARGE = 1_040_000  # a broker takes records of 1,048,588 bytes by default
FAR = 7_258_118_400_000  # 2200
KEYS = ["ключ" * 50, "🦔" * 200, "hot"]


@pytest.mark.skipif(
    COUNT == 0, reason="LOAD_RECORDS says how many records; tests/driver/test_limits.py is the short form"
)
def test_large_and_uneven_input_is_counted_and_written(topics, drain, stores, new_topic, suffix):
    events, documents, out = (new_topic(name, partitions=2) for name in ("events", "documents", "out"))
    app = hf.App(f"limits{suffix}", tasks=4, state_memory="32MB")
    stream = app.stream(events, "n BIGINT NOT NULL", key=str, max_ahead=None)
    stream.group_by_key().agg(n=F.count("*"), total=F.sum("n"), store="totals")
    stream.group_by_key().windowed_by(hf.tumbling("1 day", retention="150000 days")).count(store="days")
    texts = app.stream(documents, "text STRING NOT NULL, n INT NOT NULL", key=str, max_ahead=None)
    texts.group_by_key().reduce(lambda old, new: new, store="last").to(out)
    topics.produce(
        Record(events, ("hot" if n % 2 else f"key-{n % 1000}").encode(), b'{"n": %d}' % n, timestamp=1_000 + n)
        for n in range(COUNT)
    )
    topics.produce(Record(events, key.encode(), b'{"n": 0}', timestamp=at) for key in KEYS for at in (0, FAR))
    text = "x" * (LARGE - 40)
    topics.produce([Record(documents, b"good", b'{"text": "%s", "n": 1}' % text.encode(), timestamp=FAR)])
    topics.produce([Record(documents, b"bad", b'{"text": "%s", "n": "x"}' % text.encode(), timestamp=FAR)])

    drain(app)

    found = stores(app)
    hot = list(range(1, COUNT, 2))
    assert found["totals"]["hot"] == {"n": len(hot) + 2, "total": sum(hot)}
    assert sum(each["n"] for each in found["totals"].values()) == COUNT + 2 * len(KEYS)
    assert {key: found["totals"][key]["n"] for key in KEYS[:2]} == dict.fromkeys(KEYS[:2], 2)
    far = {each.key for each in found["days"] if each.start.year == 2200}
    assert far == set(KEYS)
    assert found["last"] == {"good": {"text": text, "n": 1}}
    assert [len(record.value) > LARGE - 40 for record in topics.read(out)] == [True]
    (letter,) = topics.read(f"{app.name}-dead-letters")
    assert (letter.key, len(letter.value)) == (b"bad", len(b'{"text": "%s", "n": "x"}' % text.encode()))
