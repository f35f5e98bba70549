"""Short ways to feed a driver and to read what came."""

from datetime import UTC, datetime, timedelta

import holdfast as hf
from holdfast.testing import Driver

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def pairs(driver, topic):
    """The records of a topic, as (key, value)."""
    return [(r.key, r.value) for r in driver.read(topic)]


def values(driver, topic):
    """The values that came to a topic."""
    return [r.value for r in driver.read(topic)]


def timed(driver, topic):
    """The records of a topic, as (key, value, milliseconds)."""
    return [(r.key, r.value, (r.timestamp - EPOCH) // timedelta(milliseconds=1)) for r in driver.read(topic)]


def letters(driver):
    """The dead letters as (node, reason)."""
    return [(letter.node, letter.reason) for letter in driver.dead_letters()]


def through(program, *records, schema="x BIGINT, s STRING", key=str, app=None):
    """Pipe (key, value) pairs through `program(stream).to("out")`, one batch each, and give (key, value) pairs."""
    app = app or hf.App("through")
    program(app.stream("in", schema, key=key)).to("out")
    with Driver(app) as driver:
        for k, v in records:
            driver.pipe("in", v, key=k)
        assert driver.dead_letters() == []
        return pairs(driver, "out")


def in_one_batch(driver, topic, *records):
    """Pipe (key, value) pairs as one batch."""
    with driver.batch():
        for key, value in records:
            driver.pipe(topic, value, key=key)


def stateful_app(function, *, source=str, key=str, store="states", **app):
    """A program with one function that keeps a state for each key."""
    made = hf.App("stateful", **{"tasks": 2, **app})
    made.stream("in", source, key=key).process(function, store=store).to("out")
    return made
