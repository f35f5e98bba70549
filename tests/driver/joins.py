"""Short ways to feed joins of two streams: records are ("l" or "r", key, value, milliseconds)."""

import contextlib

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed


def both(left, right):
    """The values of both sides as left+right."""
    return F.concat(F.coalesce(left, F.lit("null")), F.lit("+"), F.coalesce(right, F.lit("null")))


def joined(how="join", joiner=both, **options):
    """Topics l and r, joined, in one task."""
    app = hf.App("joined", tasks=1)
    left, right = app.stream("l", str, key=str), app.stream("r", str, key=str)
    getattr(left, how)(right, joiner, **options).to("out")
    return app


def joined_sides(how="join", **options):
    """Like `joined`, but both sides come by one topic: its order is the one of all records, whatever the batches."""
    app = hf.App("sides", tasks=1)
    sides = app.stream("in", "side STRING, value STRING", key=str).split(left=lambda v: v.side == "l")
    left, right = (side.map_values(lambda v: v.value) for side in (sides.left, sides.rest))
    getattr(left, how)(right, both, **options).to("out")
    return app


class Feed:
    """A driver that is fed in steps."""

    def __init__(self, driver):
        self.driver = driver

    def __call__(self, *records):
        """Pipe records one by one and give what came of them."""
        for topic, key, value, time in records:
            self.driver.pipe(topic, value, key=key, timestamp=time)
        return timed(self.driver, "out")

    def each(self, topic, letter, keys, time, step=0):
        """Pipe a value per key, `A0`, `A1` … at a time."""
        return self(*((topic, str(k), f"{letter}{k}", time + i * step) for i, k in enumerate(keys)))


@contextlib.contextmanager
def feeding(app):
    """A driver of the app, to be fed."""
    with Driver(app) as driver:
        yield Feed(driver)


@contextlib.contextmanager
def piped(app, records, *sizes):
    """A driver to which the records were piped, as both sides, in batches of these sizes, the last one repeated."""
    with Driver(app) as driver:
        position, sizes = 0, list(sizes)
        while position < len(records):
            size = sizes.pop(0) if len(sizes) > 1 else sizes[0]
            with driver.batch():
                for side, key, value, time in records[position : position + size]:
                    driver.pipe("in", {"side": side, "value": value}, key=key, timestamp=time)
            position += size
        yield driver


def in_batches(app, records, *sizes):
    """What comes of the records when they are piped to both sides in such batches."""
    with piped(app, records, *sizes) as driver:
        return timed(driver, "out")
