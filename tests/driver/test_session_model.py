"""Sessions against a plain model of what Kafka Streams does with them."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed

GAP, GRACE = 5, 3
RECORDS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 40), st.one_of(st.none(), st.integers(1, 9))), max_size=30
)
SIZES = st.lists(st.integers(1, 5), min_size=1)
RETENTIONS = st.sampled_from([GAP + GRACE, GAP + GRACE + 1, 20])


class Model:
    """The sessions of all keys, as lists of values, and what is emitted of them."""

    def __init__(self, retention):
        # A session is kept while a record that is not late can reach it, whatever was asked for.
        self.retention = max(retention, 2 * GAP + GRACE + 1)
        self.now = -1
        self.written = -1
        self.sessions = {}
        self.emitted = []
        self.finals = []
        self.late = 0

    def take(self, key, time, value):
        if value is not None:
            self.now = max(self.now, time)
            self._join(key, time, value)
            self._close()

    def _join(self, key, time, value):
        found = sorted(
            (end, start)
            for k, start, end in self.sessions
            if k == key and end >= time - GAP and start <= time + GAP and end > self.written - self.retention
        )
        start = min([time, *(s for _, s in found)])
        end = max([time, *(e for e, _ in found)])
        if end < self.now - GRACE - GAP:
            self.late += 1
            return
        values = [v for e, s in found for v in self.sessions[key, s, e]]
        if (start, end) != (time, time):
            for e, s in found:
                del self.sessions[key, s, e]
                self.emitted.append((key, s, e, None))
        self.sessions[key, start, end] = [*values, value]
        self.written = max(self.written, end)
        self.emitted.append((key, start, end, [*values, value]))

    def _close(self):
        closed = sorted((end, start, key) for key, start, end in self.sessions if end < self.now - GRACE - GAP)
        for end, start, key in closed:
            if (key, start, end) not in [f[:3] for f in self.finals]:
                self.finals.append((key, start, end, self.sessions[key, start, end]))

    def stored(self):
        """The sessions that can still be found."""
        return {k: v for k, v in self.sessions.items() if k[2] > self.written - self.retention}


class Drivers:
    """One driver per window for all examples, which have times of their own: starting one takes longest."""

    def __init__(self):
        self._open = {}
        self._examples = itertools.count(1)

    def close(self):
        for each in self._open.values():
            each.__exit__(None, None, None)

    def get(self, emit, retention):
        if (emit, retention) not in self._open:
            app = hf.App("sessions", tasks=1)
            numbers = app.stream("in", int, key=str).group_by_key()
            window = hf.session(f"{GAP} ms", grace=f"{GRACE} ms", emit=emit, retention=f"{retention} ms")
            numbers.windowed_by(window).agg(all=F.collect_list("value"), store="all").to("out")
            self._open[emit, retention] = Driver(app).__enter__()
        return self._open[emit, retention]

    def run(self, emit, retention, records, sizes):
        """What came, what is stored, and how many were late."""
        driver, begin = self.get(emit, retention), next(self._examples) * 1000
        driver.pipe("in", 1, key="begin", timestamp=begin - 500)
        driver.read("out")
        rest = list(records)
        while rest:
            size = sizes[len(rest) % len(sizes)]
            with driver.batch():
                for key, time, value in rest[:size]:
                    driver.pipe("in", value, key=key, timestamp=begin + time)
            rest = rest[size:]
            driver.crash()
        assert letters(driver) == []
        emitted = [(*span(k, begin), v and v["all"]) for k, v, _ in timed(driver, "out") if k.key != "begin"]
        stored = {span(k, begin): v["all"] for k, v in driver.store("all").all() if k.key != "begin"}
        return emitted, stored, len(driver.late())


def span(windowed, begin):
    """Key, start and end as the model has them."""
    start, end = (round(each.timestamp() * 1000) - begin for each in (windowed.start, windowed.end))
    return windowed.key, start, end


@pytest.fixture(scope="module")
def drivers():
    made = Drivers()
    yield made
    made.close()


def modelled(retention, records):
    model = Model(retention)
    for each in records:
        model.take(*each)
    return model


@given(retention=RETENTIONS, records=RECORDS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_every_update_is_told_as_kafka_streams_tells_it(drivers, retention, records, sizes):
    model = modelled(retention, records)
    emitted, stored, late = drivers.run("every", retention, records, sizes)
    assert emitted == model.emitted
    assert stored == model.stored()
    assert late == model.late


@given(retention=RETENTIONS, records=RECORDS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_the_end_of_a_session_is_told_once(drivers, retention, records, sizes):
    model = modelled(retention, records)
    emitted, _, late = drivers.run("final", retention, records, sizes)
    assert emitted == model.finals
    assert late == model.late


@given(retention=RETENTIONS, records=RECORDS, sizes=SIZES)
@settings(max_examples=40, deadline=None)
def test_the_last_update_of_a_batch_makes_the_same_table(drivers, retention, records, sizes):
    model = modelled(retention, records)
    emitted, stored, late = drivers.run("latest", retention, records, sizes)
    table = {}
    for key, start, end, values in emitted:
        table.pop((key, start, end), None) if values is None else table.update({(key, start, end): values})
    assert table == model.sessions
    assert stored == model.stored()
    assert late == model.late
