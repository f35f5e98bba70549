"""Windows on Spark and Kafka: closed by records, by idle topics and by the end of a drain; late records kept apart."""

import json

import holdfast as hf
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually

MINUTE = 60_000
START = 1_767_225_600_000  # 2026-01-01


def events(topic, *minutes, key=b"a", partition=None):
    return [
        Record(topic, key, b'{"n": 1}', timestamp=START + int(minute * MINUTE), partition=partition)
        for minute in minutes
    ]


def results(topics, topic):
    found = [(json.loads(record.key), json.loads(record.value)) for record in topics.read(topic)]
    return {((key["start"] - START) // MINUTE, key["key"]): value for key, value in found}


def counting(suffix, topic, **options):
    app = hf.App(f"time{suffix}", tasks=4)
    stream = app.stream(topic, "n INT NOT NULL", key=str, close_on_idle=options.pop("close_on_idle", None))
    window = hf.tumbling("1 minute", grace="1 minute", emit="final")
    counts = stream.group_by_key().windowed_by(window, late=f"late{suffix}", **options).count(store="per-minute")
    counts.to(f"counts{suffix}")
    return app


def test_the_end_of_a_drain_closes_the_last_window(topics, suffix, drain):
    topic = f"events{suffix}"
    topics.create(TopicSpec(topic, 2))
    topics.produce(events(topic, 0, 0.5, 1.5, 3))
    drain(counting(suffix, topic))
    assert results(topics, f"counts{suffix}") == {(0, "a"): 2, (1, "a"): 1, (3, "a"): 1}

    # What comes later is not late because the clock says November.
    topics.produce(events(topic, 4.2, 9))
    drain(counting(suffix, topic))
    assert results(topics, f"counts{suffix}") == {(0, "a"): 2, (1, "a"): 1, (3, "a"): 1, (4, "a"): 1, (9, "a"): 1}
    assert topics.read(f"late{suffix}") == []


def test_an_idle_topic_closes_the_last_window_and_what_comes_for_it_then_is_late(topics, suffix, run):
    topic = f"events{suffix}"
    topics.create(TopicSpec(topic, 2))
    topics.produce(events(topic, 0, 0.5, 1.5, 2.95))
    running = run(counting(suffix, topic, close_on_idle="1 second"))
    wanted = {(0, "a"): 2, (1, "a"): 1}
    eventually(lambda: results(topics, f"counts{suffix}"), lambda found: found == wanted, seconds=120)

    topics.produce(events(topic, 1.7))
    eventually(lambda: running.progress()["late"], lambda late: sum(late.values()) == 1, seconds=120)
    [late] = topics.read(f"late{suffix}")
    headers = dict(late.headers)
    assert headers["hf-topic"].decode() == topic
    assert int(headers["hf-window-start"]) == START + MINUTE
    assert START + 3 * MINUTE <= int(headers["hf-stream-time"]) < START + 4 * MINUTE

    topics.produce(events(topic, 2.97, 5))
    eventually(lambda: results(topics, f"counts{suffix}"), lambda found: found.get((2, "a")) == 2, seconds=120)
    assert sum(running.progress()["late"].values()) == 1


def test_time_moves_with_the_source_for_keys_that_are_quiet(topics, suffix, run):
    topic = f"events{suffix}"
    topics.create(TopicSpec(topic, 2))
    topics.produce(events(topic, 0, key=b"quiet", partition=0))
    topics.produce(events(topic, 0.1, key=b"busy", partition=1))
    run(counting(suffix, topic, close_on="watermark"))
    # Only when both partitions have passed the end of the window and its grace is the window closed.
    topics.produce(events(topic, 5, key=b"busy", partition=1))
    topics.produce(events(topic, 5, key=b"other", partition=0))
    wanted = {(0, "quiet"), (0, "busy")}
    eventually(lambda: results(topics, f"counts{suffix}").keys(), lambda found: wanted <= found, seconds=120)


def test_records_far_ahead_of_the_clock_hold_up_no_partition_of_a_backlog_and_make_nothing_late(topics, suffix, run):
    topic = f"events{suffix}"
    topics.create(TopicSpec(topic, 2))
    # One of the year 2099, and one in nanoseconds, before all others of their partition.
    ahead = [(4_070_908_800_000 - START) / MINUTE, (START * 1_000_000 - START) / MINUTE]
    topics.produce(events(topic, *ahead, partition=0))
    for partition, key in enumerate((b"a", b"b")):
        topics.produce(events(topic, *(n / 10 for n in range(200)), key=key, partition=partition))
    app = hf.App(f"time{suffix}", tasks=1, max_records=100)
    window = hf.tumbling("1 minute", grace="1 minute", emit="final")
    windows = app.stream(topic, "n INT NOT NULL", key=str).group_by_key().windowed_by(window, late=f"late{suffix}")
    windows.count(store="per-minute").to(f"counts{suffix}")
    running = run(app, mode="drain")
    assert running.wait("3 minutes")
    assert topics.read(f"late{suffix}") == []
    assert results(topics, f"counts{suffix}") == {(minute, key): 10 for minute in range(20) for key in "ab"}
    progress = running.progress()
    assert progress["dead_letters"] == 2
    reasons = sorted(progress["dead_letter_reasons"])
    assert "is too far in the future" in reasons[1]
    assert "max_ahead= of the source changes that" in reasons[0]
