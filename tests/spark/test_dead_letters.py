"""Dead letters of records that failed far from the source."""

import holdfast as hf
from holdfast.topics.records import Record


def test_a_failure_in_a_later_stage_gives_the_original_record(topics, run, stores, new_topic, suffix):
    source = new_topic("readings", partitions=2)
    records = [(b"k%d" % i, b'{"sensor":"s%d","n":%d,"extra":[%d]}' % (i % 3, i % 5, i)) for i in range(200)]
    topics.produce(
        Record(source, key, value, headers=(("from", b"field"),), partition=i % 2)
        for i, (key, value) in enumerate(records)
    )
    app = hf.App(f"ratios{suffix}", tasks=4)
    (
        app.stream(source, "sensor STRING NOT NULL, n BIGINT NOT NULL", key=str)
        .group_by(lambda r: r.sensor)
        .aggregate(0.0, lambda total, r: total + 60 / r.n, store="ratios")
    )
    running = run(app, mode="drain")
    assert running.wait("3 minutes")
    progress = running.progress()
    assert progress["dead_letters"] == 40
    ((reason, count),) = progress["dead_letter_reasons"].items()
    assert "[DIVIDE_BY_ZERO]" in reason
    assert count == 40
    bad = {pair for i, pair in enumerate(records) if i % 5 == 0}
    letters = topics.read(f"ratios{suffix}-dead-letters")
    assert {(each.key, each.value) for each in letters} == bad
    assert len(letters) == len(bad)
    headers = dict(letters[0].headers)
    assert headers["from"] == b"field"
    assert headers["hf-node"] == b"aggregate:ratios"
    assert b"zero" in headers["hf-reason"]
    good = {f"s{s}": sum(60 / (i % 5) for i in range(200) if i % 3 == s and i % 5) for s in range(3)}
    found = stores(app)["ratios"]
    assert {name: round(total, 6) for name, total in found.items()} == {
        name: round(total, 6) for name, total in good.items()
    }
