"""Windows that follow the records of a key, run on generated records: what came of every way to fold them."""

import itertools

from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, timed

KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.one_of(st.none(), st.integers(1, 9))
RECORDS = st.lists(st.tuples(KEYS, VALUES, st.integers(0, 20)), max_size=25)
SIZES = st.lists(st.integers(1, 4), min_size=1)
LATE = {"trailing": {"late": "late"}}


def aggregates(group, store):
    """Every way to fold, each into a topic of its own."""
    group.count(store=f"{store}-count").to("count")
    group.agg(sum=F.sum("x"), low=F.min("x"), all=F.collect_list("x"), store=f"{store}-agg").to("agg")
    group.reduce(lambda old, new: dict(x=old.x * 2 + new.x)).to("reduce")
    group.aggregate("", lambda s, v: F.concat(s, F.cast(v.x, "string"))).to("aggregate")
    group.top(2, by="x").map_values(lambda best: F.transform(best, lambda v: v.x)).to("top")


def expected(values):
    """What each fold makes of the values of a window."""
    reduced = values[0]
    for value in values[1:]:
        reduced = reduced * 2 + value
    return {
        "count": len(values),
        "agg": {"sum": sum(values), "low": min(values), "all": values},
        "reduce": {"x": reduced},
        "aggregate": "".join(map(str, values)),
        "top": sorted(values, reverse=True)[:2],
    }


class Drivers:
    """One driver per window for all examples: starting one takes longer than an example.

    Each example has keys of its own, and its times lie behind those of the one before.
    """

    def __init__(self):
        self._open = {}
        self._examples = itertools.count(1)

    def close(self):
        for each in self._open.values():
            each.__exit__(None, None, None)

    def _driver(self, window):
        if window not in self._open:
            app = hf.App("windows", tasks=1)
            stream = app.stream("in", "x BIGINT", key=str)
            aggregates(stream.group_by_key().windowed_by(window, **LATE.get(window.kind, {})), "w")
            self._open[window] = Driver(app).__enter__()
        return self._open[window]

    def check(self, window, model, records, sizes):
        """Pipe records in batches of these sizes, with a crash after each, and compare with (key, values, time)."""
        driver, example = self._driver(window), next(self._examples)
        mark, begin = f"{example}:", example * 1000
        rest = list(records)
        while rest:
            size = sizes[len(rest) % len(sizes)]
            with driver.batch():
                for key, value, time in rest[:size]:
                    driver.pipe("in", value and {"x": value}, key=mark + key, timestamp=begin + time)
            rest = rest[size:]
            driver.crash()
        assert letters(driver) == []
        for topic in expected([1]):
            came = [(k.removeprefix(mark), v, t - begin) for k, v, t in timed(driver, topic)]
            assert by_key(came) == by_key([(k, expected(v)[topic], t) for k, v, t in model])
        store = {k.removeprefix(mark): v for k, v in driver.store("w-count").all() if k.startswith(mark)}
        assert store == {key: len(values) for key, values, _ in model}


def by_key(results):
    """Keys may be in any order to each other; the results of one may not."""
    return sorted(results, key=lambda each: each[0])
