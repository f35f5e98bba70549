"""An example with its own data, through the Driver."""

import contextlib

from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.testing import Driver


@contextlib.contextmanager
def played(name):
    """An example after all of its data came in one batch: the driver, and what answers its routes, by path."""
    example = examples.find(name)
    app = load_app(example.app)
    with Driver(app) as driver:
        with driver.batch():
            for record in example.records():
                driver.pipe(record.topic, record.value, key=record.key)
        yield driver, {route.path: route.handler for route in app.routes}


def values(driver, topic):
    return [record.value for record in driver.read(topic)]


def by_key(driver, topic):
    out = {}
    for record in driver.read(topic):
        out.setdefault(record.key, []).append(record.value)
    return out


def clock(record, field="at"):
    """The time of day in a field."""
    return record[field].strftime("%H:%M:%S")
