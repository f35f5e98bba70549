"""Processors that share a store: they run as one, record by record, in the order of the program."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import letters, values

counts = hf.StateStore("counts", key=str, value=int)


class Adding(hf.Processor[str, int]):
    counts = counts

    def process(self, record: hf.Record[str, int]) -> None:
        self.counts[record.key] = self.counts.get(record.key, 0) + record.value
        self.context.forward(record)
        self.context.forward(record.replace(value=1000 + self.counts[record.key]))


class Doubling(hf.Processor[str, int]):
    counts = counts

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value == 13:
            raise ValueError("thirteen")
        self.counts[record.key] = self.counts.get(record.key, 0) * 2
        self.context.forward(record.replace(value=self.counts[record.key]))


def doubled_behind(app):
    """One follows the other, and another instance of it lies beside."""
    numbers = app.stream("in", int, key=str)
    added = numbers.process(Adding)
    added.to("added")
    added.process(Doubling).to("doubled")
    numbers.filter(lambda n: n > 1).process(Doubling).to("beside")


def test_forwarding_runs_what_follows_at_once():
    app = hf.App("shared", tasks=1)
    doubled_behind(app)
    with Driver(app) as d:
        with d.batch():
            for n in (1, 2):
                d.pipe("in", n, key="a")
        # 1: 1, doubled twice: 2, 4. 2: 6, doubled to 12, 24 and beside to 48.
        assert [values(d, topic) for topic in ("added", "doubled", "beside")] == [
            [1, 1002, 2, 1012],
            [2, 4, 12, 24],
            [48],
        ]
        assert d.store("counts")["a"] == 48


def test_what_follows_fails_with_the_record():
    app = hf.App("shared", tasks=1)
    doubled_behind(app)
    with Driver(app) as d:
        with d.batch():
            for n in (1, 13, 1):
                d.pipe("in", n, key="a")
        assert [reason.partition(" [")[0].partition("): ")[2] for _, reason in letters(d)] == [
            "ValueError: thirteen"
        ] * 2
        assert d.store("counts")["a"] == 20


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 14)), max_size=12), st.integers(1, 12))
def test_neither_batches_nor_tasks_make_a_difference(records, size):
    def run(tasks, size):
        app = hf.App("shared", tasks=tasks)
        doubled_behind(app)
        with Driver(app) as d:
            for start in range(0, len(records), size):
                with d.batch():
                    for number, (key, n) in enumerate(records[start : start + size]):
                        d.pipe("in", n, key=key, timestamp=start + number)
            outputs = {
                t: sorted((r.key, i, r.value) for i, r in enumerate(per_key(d, t)))
                for t in ("added", "doubled", "beside")
            }
            return outputs, dict(d.store("counts").all())

    def per_key(driver, topic):
        return sorted(driver.read(topic), key=lambda r: r.key)

    assert run(1, 1) == run(4, size)


class Watching(hf.Processor[str, str]):
    returns = int
    counts = counts

    def process(self, record: hf.Record[str, str]) -> None:
        self.context.forward(record.replace(value=self.counts.get(record.key, -1)))


def test_streams_of_different_types_meet_in_a_store():
    app = hf.App("shared", tasks=2)
    app.stream("numbers", int, key=str).process(Adding)
    app.stream("questions", str, key=str).process(Watching).to("answers")
    with Driver(app) as d:
        with d.batch():
            d.pipe("questions", "how many?", key="a", timestamp=0)
            d.pipe("numbers", 5, key="a", timestamp=1)
            d.pipe("questions", "and now?", key="a", timestamp=2)
            d.pipe("numbers", 5, key="a", timestamp=3)
        d.pipe("questions", "in the end?", key="a", timestamp=4)
        assert values(d, "answers") == [-1, 5, 10]


def test_a_store_is_named_where_it_is_used():
    class Last(hf.Processor[str, int]):
        last = hf.StateStore(key=str, value=int)

        def process(self, record: hf.Record[str, int]) -> None:
            self.last[record.key] = record.value

    app = hf.App("named", tasks=1)
    numbers = app.stream("in", int, key=str)
    numbers.process(Last, store="all")
    numbers.filter(lambda n: n % 2 == 0).process(Last, store="even")
    with Driver(app) as d:
        for n in (1, 2, 3):
            d.pipe("in", n, key="a")
        assert (d.store("all")["a"], d.store("even")["a"]) == (3, 2)
