"""Stateful examples out of the documentation of other libraries, with the results that it promises."""

from dataclasses import dataclass, field

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import pairs, values

MINUTE = 60_000


@dataclass
class Message:
    text: str


@dataclass
class Counted:
    text: str
    total: int


def test_quix_streams_counts_messages():
    """Stateful Applications, "Using State in Custom Functions": the message and how many its key has had."""

    @hf.stateful(state={"total": int}, returns=Counted)
    def count_messages(key, value, state, timers):
        state.total += 1
        return Counted(value.text, state.total)

    app = hf.App("quix", tasks=2)
    app.stream("topic", Message, key=str).process(count_messages).to("out")
    with Driver(app) as d:
        for key, text in [("KEY_A", "x"), ("KEY_B", "y"), ("KEY_A", "z")]:
            d.pipe("topic", {"text": text}, key=key)
        assert pairs(d, "out") == [
            ("KEY_A", {"text": "x", "total": 1}),
            ("KEY_B", {"text": "y", "total": 1}),
            ("KEY_A", {"text": "z", "total": 2}),
        ]


def test_quix_streams_emits_on_toggle_or_after_expiry():
    """State TTL, "Emit only on toggle or after TTL expiry": its table of what is emitted and what is dropped."""

    @hf.stateful(state={"last": str}, returns=str, ttl="5 minutes")
    def emit_on_change_or_expiry(key, event, state, timers):
        if state.last == event:
            return None
        state.last = event
        return event

    app = hf.App("window", tasks=2)
    app.stream("events", str, key=str).process(emit_on_change_or_expiry).to("out")
    with Driver(app) as d:
        for minute, event, emitted in [
            (0, "ON", ["ON"]),
            (1, "ON", []),
            (2, "OFF", ["OFF"]),
            (4, "OFF", []),
            (7, "OFF", ["OFF"]),
            (8, "ON", ["ON"]),
        ]:
            d.pipe("events", event, key="window", timestamp=minute * MINUTE)
            assert values(d, "out") == emitted


def test_bytewax_counts_and_goes_on_after_a_crash():
    """`stateful_map`: a running count per key; Recovery: the state is there after a restart."""

    @hf.stateful(state={"count": int}, returns=int)
    def check(key, item, state, timers):
        state.count += 1
        return state.count

    app = hf.App("count", tasks=2)
    app.stream("inp", str).select_key(lambda x: x).process(check).to("out")
    with Driver(app) as d:
        for item in "aaab":
            d.pipe("inp", item)
        d.crash()
        d.pipe("inp", "a")
        assert pairs(d, "out") == [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("a", 4)]


@dataclass
class Detector:
    last: list[float] = field(default_factory=list)
    mu: float | None = None
    sigma: float | None = None


@dataclass
class Judged:
    value: float
    mu: float
    sigma: float
    anomalous: bool


def test_bytewax_detects_anomalies():
    """The anomaly detector: how far a value is from the mean of the last ten, in standard deviations."""

    @hf.stateful(state=Detector, returns=Judged)
    def detect(metric, value, state, timers):
        anomalous = bool(state.mu and state.sigma) and abs(value - state.mu) / state.sigma > 2.0
        state.last = [value, *state.last][:10]
        state.mu = sum(state.last) / len(state.last)
        state.sigma = (sum((each - state.mu) ** 2 for each in state.last) / len(state.last)) ** 0.5
        return Judged(value, state.mu, state.sigma, anomalous)

    app = hf.App("anomalies", tasks=2)
    app.stream("metrics", float, key=str).process(detect).to("out")
    with Driver(app) as d:
        for value in [1.0, 3.0, 1.0, 3.0, 9.0, 2.0]:
            d.pipe("metrics", value, key="QPS")
        tested = values(d, "out")
        assert [each["anomalous"] for each in tested] == [False, False, False, False, True, False]
        assert (tested[1]["mu"], tested[1]["sigma"]) == (2.0, 1.0)
