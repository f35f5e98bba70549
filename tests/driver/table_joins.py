"""Tables of words to join, and scenarios to run in batches of any size."""

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed

SIZES = (1, 3, 1000)


def every(name):
    """A store that emits every update."""
    return hf.Materialized(name, emit="every")


def both(left, right):
    """Both sides as one word; a side that is missing is called null."""
    return F.concat(F.coalesce(left, F.lit("null")), F.lit("+"), F.coalesce(right, F.lit("null")))


def words(app, *topics, emit="every", key=int):
    """Tables of words."""
    return [app.table(topic, str, key=key, store=hf.Materialized(topic, emit=emit)) for topic in topics]


def feed(driver, records, size=1):
    """Pipe (topic, key, value, milliseconds) in batches of `size`."""
    for start in range(0, len(records), size):
        with driver.batch():
            for topic, key, value, at in records[start : start + size]:
                driver.pipe(topic, value, key=key, timestamp=at)


def outputs(app, records, *topics, size=1):
    """What comes to each topic, as (key, value, milliseconds)."""
    with Driver(app) as d:
        feed(d, records, size)
        assert d.dead_letters() == []
        return [timed(d, topic) for topic in topics]


def stored(app, records, *stores, size=1):
    """What each store holds in the end."""
    with Driver(app) as d:
        feed(d, records, size)
        return [dict(d.store(name).all()) for name in stores]


def last(updates):
    """The last value and time per key of (key, value, milliseconds)."""
    return {key: (value, at) for key, value, at in updates}
