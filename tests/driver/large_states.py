"""Drivers whose topics take little, and records that do not become smaller by compression."""

import random
from datetime import timedelta

from holdfast.testing import Driver
from tests.driver.helpers import EPOCH

LIMIT = 104_858
"""What a topic takes: its max.message.bytes."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def text(size, seed):
    """So many letters; others for another seed."""
    return "".join(random.Random(seed).choices(_LETTERS, k=size))


def limited(app):
    """A driver in which each topic takes that much."""
    return Driver(app, max_message_bytes=LIMIT)


def pipe(driver, records, *, together):
    """Pipe (key, value, milliseconds) as one batch, or each as its own."""
    if together:
        with driver.batch():
            for key, value, time in records:
                driver.pipe("in", value, key=key, timestamp=time)
    else:
        for key, value, time in records:
            driver.pipe("in", value, key=key, timestamp=time)


def refused(driver):
    """The keys and times of the dead letters, whose reasons all say what is too large and the way out."""
    letters = driver.dead_letters()
    for each in letters:
        for part in ("would take", "changelog", f"takes {LIMIT} at most", "max.message.bytes", "keep less in it"):
            assert part in each.reason, each.reason
    return [
        (each.record.key.decode(), (each.record.timestamp - EPOCH) // timedelta(milliseconds=1)) for each in letters
    ]
