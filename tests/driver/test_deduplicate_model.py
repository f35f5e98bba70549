"""Duplicates against a plain model that remembers everything it may look at."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import timed

WITHIN = 10


def model(records):
    """What passes, as (key, value, time)."""
    passed, now, out = defaultdict(list), -1, []
    for key, value, at in records:
        now = max(now, at)
        known = [time for time in passed[key, value] if time + 2 * WITHIN >= now]
        if value is not None and any(abs(time - at) <= WITHIN for time in known):
            continue
        passed[key, value].append(at)
        out.append((key, value, at))
    return out


def run(records, size):
    app = hf.App("once", tasks=1)
    app.stream("in", str, key=str).deduplicate(lambda v: v, within="10 ms").to("out")
    with Driver(app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for key, value, at in records[start : start + size]:
                    driver.pipe("in", value, key=key, timestamp=at)
        out = timed(driver, "out")
        assert driver.dead_letters() == []
        assert driver._kernel.skipped() == len(records) - len(out)
        return out


keys = st.sampled_from(["k", "l", None])
inputs = st.lists(st.tuples(keys, st.sampled_from(["a", "b", None]), st.integers(0, 70)), max_size=24)


@settings(max_examples=60, deadline=None)
@given(inputs, st.integers(1, 24))
def test_what_passes_is_what_the_model_lets_pass(records, size):
    assert run(records, size) == model(records)


@settings(max_examples=30, deadline=None)
@given(inputs)
def test_no_two_that_pass_are_near_each_other_while_time_is_near(records):
    """Of records at most `within` behind stream time."""
    now, timely = -1, []
    for key, value, at in records:
        now = max(now, at)
        if at >= now - WITHIN:
            timely.append((key, value, at))
    times = defaultdict(list)
    for key, value, at in run(timely, 5):
        if value is not None:
            assert all(abs(at - other) > WITHIN for other in times[key, value])
            times[key, value].append(at)
