from datetime import timedelta

import pytest

import holdfast as hf
from holdfast.testing import Driver
from tests.driver.helpers import EPOCH, pairs

KEYS = [f"user-{n}" for n in range(2000)]


def run(program, records, tasks=1, batches=1, source=int, key=str):
    """Pipe (key, value, partition) in so many batches; give what came out, as (key, value)."""
    app = hf.App("some", tasks=tasks)
    program(app.stream("in", source, key=key)).to("out")
    with Driver(app) as d:
        size = -(-len(records) // batches)
        for start in range(0, len(records), size):
            with d.batch():
                for k, v, partition in records[start : start + size]:
                    d.pipe("in", v, key=k, partition=partition, timestamp=1000)
        assert d.dead_letters() == []
        return pairs(d, "out")


def one_each(keys=KEYS):
    return [(key, n, n % 3) for n, key in enumerate(keys)]


@pytest.mark.parametrize("by", ["record", "key"])
def test_about_the_share(by):
    found = run(lambda s: s.sample(0.3, by=by), one_each())
    assert 550 < len(found) < 650
    assert run(lambda s: s.sample(0.0, by=by), one_each()) == []
    assert run(lambda s: s.sample(1, by=by), one_each()) == [(k, n) for k, n, _ in one_each()]


@pytest.mark.parametrize("by", ["record", "key"])
@pytest.mark.parametrize(("tasks", "batches"), [(1, 300), (4, 1), (4, 20)])
def test_the_same_in_one_batch_and_in_many(by, tasks, batches):
    records = [(KEYS[n % 200], n, n % 3) for n in range(600)]
    found = run(lambda s: s.sample(0.5, by=by), records, tasks, batches)
    assert sorted(found) == sorted(run(lambda s: s.sample(0.5, by=by), records))


def test_a_key_is_in_or_out():
    found = run(lambda s: s.sample(0.5, by="key"), [(KEYS[n % 200], n, n % 3) for n in range(1000)], batches=5)
    stored = {key for key, _ in found}
    assert 70 < len(stored) < 130
    assert len(found) == 5 * len(stored)


def test_records_of_a_key_are_chosen_one_by_one():
    assert 400 < len(run(lambda s: s.sample(0.5), [("k", n, 0) for n in range(1000)])) < 600


@pytest.mark.parametrize("by", ["record", "key"])
def test_a_record_without_a_key_is_chosen_by_itself(by):
    found = run(lambda s: s.sample(0.5, by=by), [(None, n, n % 3) for n in range(1000)], batches=2)
    assert 400 < len(found) < 600


def test_a_delete_goes_with_its_key():
    found = run(lambda s: s.sample(0.5, by="key"), [r for key in KEYS[:100] for r in [(key, 1, 0), (key, None, 0)]])
    assert {k for k, v in found if v is None} == {k for k, v in found if v == 1}


def test_a_smaller_share_is_part_of_a_larger_one():
    few = run(lambda s: s.sample(0.1, by="key"), one_each())
    assert 0 < len(few) < len(set(few) | set(run(lambda s: s.sample(0.3, by="key"), one_each()))) < 700


@pytest.mark.parametrize("by", ["record", "key"])
def test_another_seed_keeps_others(by):
    both = run(lambda s: s.sample(0.5, by=by).sample(0.5, by=by, seed=1), one_each())
    assert 430 < len(both) < 570
    assert run(lambda s: s.sample(0.5, by=by), one_each()) == run(
        lambda s: s.sample(0.5, by=by).sample(0.5, by=by), one_each()
    )


def test_all_streams_keep_the_same_keys():
    app = hf.App("two", tasks=2)
    app.stream("orders", "id BIGINT", key=str).sample(0.5, by="key").to("some-orders")
    app.stream("clicks", str).select_key(lambda page: page).repartition().sample(0.5, by="key").to("some-clicks")
    with Driver(app) as d:
        with d.batch():
            for key in KEYS[:200]:
                d.pipe("orders", {"id": 1}, key=key)
                d.pipe("clicks", key)
        assert {k for k, _ in pairs(d, "some-orders")} == {k for k, _ in pairs(d, "some-clicks")}


def test_which_are_kept_does_not_change_between_versions():
    stored = {
        name: [n for _, n in run(lambda s, how=how: s.sample(0.25, **how), one_each(KEYS[:30]))]
        for name, how in {"record": {}, "key": {"by": "key"}, "seed": {"by": "key", "seed": 7}}.items()
    }
    assert stored == {"record": [9, 16, 18, 21, 26, 27, 28, 29], "key": [17, 28], "seed": [0, 3, 5, 6, 17, 19, 21, 25]}


def test_another_consumer_of_the_stream_changes_nothing():
    def program(stream):
        stream.filter(lambda v: v > 5).to("other")
        return stream.sample(0.5)

    assert run(program, one_each(KEYS[:100])) == run(lambda s: s.sample(0.5), one_each(KEYS[:100]))


def test_results_of_windows_that_one_record_closes_are_chosen_one_by_one():
    app = hf.App("closed", tasks=1)
    stream = app.stream("in", int, key=str)
    counts = stream.group_by_key().windowed_by(hf.tumbling("1 s", emit="final")).count(store="n")
    counts.to_stream().sample(0.5).to("out")
    with Driver(app) as d:
        with d.batch():
            for key in KEYS[:400]:
                d.pipe("in", 1, key=key, timestamp=5)
        assert d.read("out") == []
        d.pipe("in", 0, key="last", timestamp=60_000)
        assert 150 < len(d.read("out")) < 250


def test_results_that_the_clock_brings_are_chosen_one_by_one():
    app = hf.App("idle")
    stream = app.stream("in", int, key=str, close_on_idle="1 s")
    counts = stream.group_by_key().windowed_by(hf.tumbling("1 s", emit="final")).count(store="n")
    counts.to_stream().sample(0.5).to("out")
    with Driver(app) as d:
        with d.batch():
            for key in KEYS[:400]:
                d.pipe("in", 1, key=key, timestamp=5)
        assert d.read("out") == []
        d.advance(minutes=5)
        assert 150 < len(d.read("out")) < 250


@pytest.mark.parametrize("by", ["record", "key"])
def test_a_batch_that_is_repeated_keeps_the_same(by):
    app = hf.App("again")
    app.stream("in", int, key=str).sample(0.5, by=by).to("out")
    with Driver(app) as d:
        d.crash(in_next_batch=True)
        with d.batch():
            for key, n, partition in one_each(KEYS[:200]):
                d.pipe("in", n, key=key, partition=partition, timestamp=1000 + n)
        found = pairs(d, "out")
    assert found == run(lambda s: s.sample(0.5, by=by), one_each(KEYS[:200]))


def test_key_time_and_headers_stay():
    app = hf.App("whole")
    app.stream("in", int, key=int).sample(1.0).to("out")
    with Driver(app) as d:
        d.pipe("in", 3, key=-4, timestamp=77, headers={"h": b"x"})
        found = d.read("out")[0]
        assert (found.key, found.value, found.headers) == (-4, 3, {"h": b"x"})
        assert found.timestamp == EPOCH + timedelta(milliseconds=77)


def test_keys_of_several_fields_and_windows():
    fields = "a STRING, b DOUBLE"
    found = run(
        lambda s: s.select_key("a", "b").sample(0.5, by="key"),
        [(None, {"a": f"a{n % 50}", "b": float(n % 50) if n % 3 else None}, 0) for n in range(600)],
        source=fields,
    )
    stored = {tuple(key.values()) for key, _ in found}
    assert 25 < len(stored) < 75
    every = [(f"a{n % 50}", float(n % 50) if n % 3 else None) for n in range(600)]
    assert sorted(map(str, (tuple(key.values()) for key, _ in found))) == sorted(str(e) for e in every if e in stored)
