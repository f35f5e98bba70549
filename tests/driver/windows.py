"""Helpers that pipe records into windows and read the results."""

from datetime import timedelta

import holdfast as hf
from holdfast.testing import Driver
from holdfast.topics.windowed import milliseconds_of
from tests.driver.helpers import EPOCH


def moments(key):
    """A windowed key as (key, start, end), in milliseconds."""
    return key.key, milliseconds_of(key.start), milliseconds_of(key.end)


def emitted(driver, topic="out"):
    """The records of a topic, as (key, start, end, value, milliseconds)."""
    records = driver.read(topic)
    return [(*moments(r.key), r.value, (r.timestamp - EPOCH) // timedelta(milliseconds=1)) for r in records]


def stored(driver, store="store"):
    """The entries of a store, as {(key, start): value}."""
    return {moments(key)[:2]: value for key, value in driver.store(store).all()}


def texts(window, *, late=None, tasks=1):
    """An app that joins the texts of each key and window with a plus."""
    app = hf.App("windows", tasks=tasks)
    group = app.stream("in", str, key=str).group_by_key().windowed_by(window, late=late)
    group.aggregate("0", lambda state, value: state + "+" + value, store="store").to("out")
    return app


def pipe(driver, *records, together=False):
    """Pipe (key, value, milliseconds), one batch each or all in one."""
    if together:
        with driver.batch():
            pipe(driver, *records)
        return
    for key, value, timestamp in records:
        driver.pipe("in", value, key=key, timestamp=timestamp)


def through(window, *records, together=False):
    """What an app of `texts` emits for these records."""
    with Driver(texts(window)) as driver:
        pipe(driver, *records, together=together)
        assert driver.dead_letters() == []
        return emitted(driver)
