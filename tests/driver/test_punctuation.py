"""Punctuations in event time and by the clock, as Kafka Streams has them."""

from __future__ import annotations

from datetime import datetime

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed, values


class Flushing(hf.Processor[str, int]):
    """Sums by key; every ten milliseconds of event time what there is goes on and is forgotten."""

    returns = (str, int)
    sums = hf.StateStore("sums", key=str, value=int)

    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("10 ms", self.flush)

    def process(self, record: hf.Record[str, int]) -> None:
        self.sums[record.key] = self.sums.get(record.key, 0) + record.value

    def flush(self, now: datetime) -> None:
        for key, total in self.sums.all():
            self.context.forward(hf.Record(key, total, now))
            self.sums.delete(key)


def run(cls, times, batches=False):
    app = hf.App("time", tasks=1)
    app.stream("in", int, key=str).process(cls).to("out")
    driver = Driver(app)
    if batches:
        with driver.batch():
            for number, time in enumerate(times):
                driver.pipe("in", number, key="ab"[number % 2], timestamp=time)
    else:
        for number, time in enumerate(times):
            driver.pipe("in", number, key="ab"[number % 2], timestamp=time)
    return driver


def test_it_comes_with_the_first_record_then_at_multiples_of_the_interval():
    driver = run(Flushing, [3, 9, 10, 11, 35, 39, 40])
    assert timed(driver, "out") == [
        ("a", 0, 3),
        ("a", 2, 10),
        ("b", 1, 10),
        ("a", 4, 35),
        ("b", 3, 35),
        ("a", 6, 40),
        ("b", 5, 40),
    ]


def test_batches_make_no_difference():
    times = [3, 9, 10, 11, 35, 20, 39, 40, 5, 100]
    assert timed(run(Flushing, times), "out") == timed(run(Flushing, times, batches=True), "out")


def test_it_stays_as_it_is_after_a_crash():
    app = hf.App("time", tasks=1)
    app.stream("in", int, key=str).process(Flushing).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=5)
        d.crash()
        d.pipe("in", 2, key="a", timestamp=9)
        assert timed(d, "out") == [("a", 1, 5)]


class Once(hf.Processor[str, int]):
    """Each third record asks for one call; what was asked for in one batch is cancelled in another."""

    returns = str

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value % 3 == 0:
            self.context.schedule("10 ms", self.ring)
        if record.value == 4:
            self.context.cancel(self.ring)
        if record.value == 6:
            raise ValueError("taken back")

    def ring(self, now: datetime) -> None:
        self.context.forward(hf.Record("a", f"ring {self.context.stream_time}", now))


def test_what_a_record_asks_for_lasts_until_it_is_cancelled():
    driver = run(Once, [0, 10, 20, 30, 40, 50, 60, 70])
    assert [time for _, _, time in timed(driver, "out")] == [0, 10, 20, 30, 30]
    assert len(letters(driver)) == 1


class Cancelling(hf.Processor[str, int]):
    returns = int

    def init(self, context: hf.ProcessorContext) -> None:
        self.times = context.schedule("10 ms", self.ring)
        context.schedule("10 ms", lambda now: context.forward(hf.Record("a", -1, now)))

    def process(self, record: hf.Record[str, int]) -> None: ...

    def ring(self, now: datetime) -> None:
        self.context.forward(hf.Record("a", 1, now))
        if now.microsecond >= 20_000:
            self.times.cancel()


def test_what_init_asked_for_stays_cancelled():
    assert timed(run(Cancelling, [0, 10, 20, 30]), "out") == [
        ("a", 1, 0),
        ("a", -1, 0),
        ("a", 1, 10),
        ("a", -1, 10),
        ("a", 1, 20),
        ("a", -1, 20),
        ("a", -1, 30),
    ]


class Failing(Flushing):
    sums = hf.StateStore("failing-sums", key=str, value=int)

    def flush(self, now: datetime) -> None:
        super().flush(now)
        if now.microsecond == 10_000:
            raise RuntimeError("not now")


def test_a_punctuation_that_fails_is_taken_back_and_told():
    driver = run(Failing, [3, 10, 11, 20])
    assert timed(driver, "out") == [("a", 0, 3), ("a", 2, 20), ("b", 4, 20)]
    [letter] = driver.dead_letters()
    assert "RuntimeError: not now" in letter.reason
    assert letter.record.value is None


class Elsewhere(hf.Processor[str, int]):
    def init(self, context: hf.ProcessorContext) -> None:
        context.schedule("10 ms", self.ring)

    def process(self, record: hf.Record[str, int]) -> None: ...

    def ring(self, now: datetime) -> None:
        for key in "abcdefgh":
            self.context.forward(hf.Record(key, 1, now))


def test_a_key_of_another_task_is_not_forwarded_as_if_it_were_of_this_one():
    app = hf.App("time", tasks=4)
    app.stream("in", int, key=str).process(Elsewhere).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=5)
        found = {r.key for r in d.read("out")}
        assert "a" in found
        reasons = letters(d)
        assert len(reasons) == 8 - len(found)
        assert all("a key that belongs to another task" in reason for _, reason in reasons)


def test_silence_moves_event_time():
    app = hf.App("time", tasks=1)
    app.stream("in", int, key=str, close_on_idle="1 second").process(Flushing).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=1000)
        d.pipe("in", 2, key="a", timestamp=1001)
        assert values(d, "out") == [1]
        d.advance(seconds=30)
        assert values(d, "out") == [2]


class Clocked(hf.Processor[str, int]):
    """Every ten seconds of the clock what has come goes on."""

    returns = (str, int)
    seen = hf.StateStore("clocked", key=str, value=int)

    def init(self, context: hf.ProcessorContext) -> None:
        self.bell = context.schedule("10 seconds", self.ring, clock="wall")

    def process(self, record: hf.Record[str, int]) -> None:
        self.seen[record.key] = record.value
        if record.value == 99:
            self.bell.cancel()

    def ring(self, now: datetime) -> None:
        assert now == self.context.wall_time
        for key, value in self.seen.all():
            self.context.forward(hf.Record(key, value, now))
        self.context.forward(hf.Record("bell", 0, now))


def test_the_clock_counts_from_the_beginning_and_needs_no_records():
    app = hf.App("time", tasks=1)
    app.stream("in", int, key=str).process(Clocked).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=5_000_000)
        d.advance(seconds=9)
        assert values(d, "out") == []
        d.advance(seconds=1)
        assert timed(d, "out") == [("a", 1, 10_000), ("bell", 0, 10_000)]
        d.pipe("in", 2, key="b", timestamp=0)
        assert values(d, "out") == []
        d.crash()
        d.advance(seconds=35)
        assert timed(d, "out") == [("a", 1, 45_000), ("b", 2, 45_000), ("bell", 0, 45_000)]
        d.advance(seconds=5)
        assert len(values(d, "out")) == 3
        d.pipe("in", 99, key="a")
        d.advance(minutes=1)
        assert values(d, "out") == []


def test_every_task_has_its_punctuation():
    app = hf.App("time", tasks=4)
    app.stream("in", int, key=str).process(Clocked).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a")
        d.advance(seconds=10)
        assert sorted(values(d, "out")) == [0, 0, 0, 0, 1]


class Both(Clocked):
    seen = hf.StateStore("both", key=str, value=int)

    def init(self, context: hf.ProcessorContext) -> None:
        super().init(context)
        context.schedule("1 second", self.note)

    def note(self, now: datetime) -> None:
        self.context.forward(hf.Record("event", 0, now))


def test_event_time_before_the_clock():
    app = hf.App("time", tasks=1)
    app.stream("in", int, key=str, close_on_idle="5 seconds").process(Both).to("out")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=0)
        d.advance(seconds=30)
        assert [r.key for r in d.read("out")] == ["event", "event", "a", "bell"]


class Misused(hf.Processor[str, int]):
    def process(self, record: hf.Record[str, int]) -> None:
        match record.value:
            case 0:
                self.context.schedule("1 s", lambda now: None)
            case 1:
                self.context.schedule("1 s", self.process, clock="sun")  # type: ignore[arg-type]
            case 2:
                self.context.schedule("0 s", self.process)  # type: ignore[arg-type]
            case 3:
                self.context.schedule(5, self.process)  # type: ignore[arg-type]
            case 4:
                self.context.cancel(print)


def test_misuse_is_named():
    reasons = [reason for _, reason in letters(run(Misused, range(5), batches=True))]
    for reason, said in zip(
        reasons,
        [
            "outside of init the callback must be a method of the processor",
            'clock is \'sun\'; it may be "event" or "wall"',
            "the interval must be longer than nothing",
            "say the unit",
            "cancel wants a method of the processor",
        ],
        strict=True,
    ):
        assert said in reason
