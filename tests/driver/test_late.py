from datetime import UTC, datetime

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.windows import pipe, texts


def at(milliseconds):
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def test_a_late_record_can_be_seen_with_its_window():
    with Driver(texts(hf.tumbling("10 ms", grace="5 ms"))) as driver:
        pipe(driver, ("a", "1", 0), ("a", "2", 15), ("a", "late", 9))
        (late,) = driver.late()
        assert (late.record.key, late.record.value, late.record.timestamp) == ("a", "late", at(9))
        assert (late.topic, late.node) == ("in", "aggregate:store")
        assert (late.start, late.end, late.stream_time) == (at(0), at(10), at(15))
        assert driver.late() == []
        assert driver.dead_letters() == []


def test_a_topic_takes_them():
    with Driver(texts(hf.tumbling("10 ms"), late="too-late")) as driver:
        pipe(driver, ("a", "1", 10), ("a", "late", 9))
        (record,) = driver.read("too-late")
        assert (record.key, record.value, record.timestamp) == ("a", "late", at(9))
        assert record.headers == {
            "hf-topic": b"in",
            "hf-partition": b"0",
            "hf-offset": b"1",
            "hf-node": b"aggregate:store",
            "hf-input": b"group_by_key-1",
            "hf-window-start": b"0",
            "hf-window-end": b"10",
            "hf-stream-time": b"10",
        }


def test_the_app_can_read_what_was_late():
    app = hf.App("windows", tasks=1)
    fields = app.stream("in", "x BIGINT", key=str)
    fields.group_by("x").windowed_by(hf.tumbling("10 ms"), late="too-late").count(store="store")
    app.stream("too-late", "x BIGINT", key=int).to("out")
    with Driver(app) as driver:
        for t in (10, 3):
            driver.pipe("in", {"x": 5}, key="a", timestamp=t)
        assert [(r.key, r.value) for r in driver.read("out")] == [(5, {"x": 5})]
