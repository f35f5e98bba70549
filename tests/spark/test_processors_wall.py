"""Processors that ask for the clock, on Spark and Kafka: it goes on while no record comes."""

import time
from datetime import datetime

import holdfast as hf
from tests.spark.conftest import as_record


class Waking(hf.Processor[str, str]):
    """Says every second of the clock what it has seen so far."""

    seen = hf.StateStore("seen", key=str, value=str)

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("1 second", self.emit, clock="wall")

    def process(self, record: hf.Record[str, str]) -> None:
        self.seen[record.key] = record.value

    def emit(self, now: datetime) -> None:
        for key, value in self.seen.all():
            self.context.forward(hf.Record(key, value, now))


def test_the_clock_goes_on_without_records(topics, new_topic, suffix, run):
    source, out = new_topic("seen"), new_topic("told")
    topics.produce([as_record(source, "a", "x", 1000)])
    app = hf.App(f"waking{suffix}", tasks=2)
    app.stream(source, str, key=str).process(Waking).to(out)
    running = run(app)
    deadline = time.monotonic() + 120
    while len(topics.read(out)) < 2:
        assert time.monotonic() < deadline, "nothing was emitted twice"
        assert not running.wait("100 ms"), "the app has ended"
    emitted = topics.read(out)
    assert {(record.key, record.value) for record in emitted} == {(b"a", b'"x"')}
    times = [record.timestamp for record in emitted]
    assert times == sorted(set(times))
    assert all(now > time.time() * 1000 - 300_000 for now in times), "the time is that of the clock"
