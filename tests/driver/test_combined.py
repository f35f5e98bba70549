"""Records that are combined before an exchange: results, times, headers and dead letters are the same as without."""

import random

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters

SCHEMA = "player STRING, score INT, big BIGINT, ratio DOUBLE"
WAYS = {
    "count": lambda group, store: group.count(store=store),
    "agg": lambda group, store: group.agg(
        n=F.count("*"), some=F.count("score"), total=F.sum("score"), low=F.min("player"), high=F.max("big"), store=store
    ),
    "agg of what cannot be combined": lambda group, store: group.agg(
        total=F.sum("ratio"), big=F.sum("big"), first=F.first("player"), store=store
    ),
    "agg that may fail": lambda group, store: group.agg(n=F.sum(100 // F.col("score")), store=store),
    "top": lambda group, store: group.top(3, by="score", store=store),
    "top of one each": lambda group, store: group.top(2, by="score", distinct="player", store=store),
    "top that may fail": lambda group, store: group.top(2, by=lambda r: 100 // r.score, store=store),
    "top by metadata": lambda group, store: group.top(2, by=lambda r: hf.timestamp(), store=store),
}


def program(way, emit):
    app = hf.App("combined")
    group = app.stream("in", SCHEMA, key=str).group_by_key()
    WAYS[way](group, hf.Materialized("table", emit=emit)).to("out")
    return app


def batches(seed):
    """Batches from three partitions, with equal ranks, missing values, times out of order and divisions by zero."""
    rng, at = random.Random(seed), 1000
    for size in (1, 40, 7, 300):
        batch = []
        for _ in range(size):
            at += rng.randrange(3)
            value = {
                "player": rng.choice(["ann", "bob", "cid", None]),
                "score": rng.choice([None, 0, 1, 2, 3, 4]),
                "big": rng.choice([1, 1 << 40, 1 << 62, -(1 << 62)]),
                "ratio": rng.random(),
            }
            batch.append(
                (rng.choice("abc"), rng.choice([value] * 9 + [None]), at - rng.randrange(50), rng.randrange(3))
            )
        yield batch


def run(driver, batch):
    """The last update per key of a batch, with its time and headers."""
    with driver.batch():
        for i, (key, value, at, partition) in enumerate(batch):
            driver.pipe("in", value, key=key, timestamp=at, partition=partition, headers={"i": str(i).encode()})
    return {r.key: (r.value, r.timestamp, r.headers) for r in driver.read("out")}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_last_update_of_a_batch_is_what_every_record_by_itself_leads_to(way, seed):
    with Driver(program(way, "latest")) as combined, Driver(program(way, "every")) as each:
        for batch in batches(seed):
            assert run(combined, batch) == run(each, batch)
        assert sorted(letters(combined)) == sorted(letters(each))
        assert dict(combined.store("table").all()) == dict(each.store("table").all())
