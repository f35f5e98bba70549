import pytest

import holdfast as hf
from holdfast.errors import DurationError, TopologyError
from tests.dsl.helpers import node


def windowed(orders, window):
    return orders.group_by_key().windowed_by(window).count()


def test_until_the_window_closes(orders):
    table = windowed(orders, hf.tumbling("1 s", grace="5 s")).suppress(hf.until_window_closes(max_records=7))
    made = node(table)
    assert (made["op"], made["until"], made["limit"]) == ("suppress", "window_closes", 5000)
    assert (made["max_records"], made["on_full"], made["store"]["name"]) == (7, "fail", None)
    assert table.schema == windowed(orders, hf.tumbling("1 s")).schema


def test_until_a_time_has_passed(customers):
    made = node(customers.suppress(hf.until_time("10 s")))
    assert (made["until"], made["limit"], made["max_records"], made["on_full"]) == ("time", 10_000, None, "emit")


def test_the_grace_of_the_windows_is_found_through_views(orders):
    table = windowed(orders, hf.calendar("day", grace="1 minute")).filter(lambda n: n > 1).map_values(lambda n: n)
    assert node(table.suppress(hf.until_window_closes()))["limit"] == 60_000


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o, c: c.suppress(hf.until_window_closes()), TopologyError, "suppress: 'customers' has no windows"),
        (lambda o, c: c.suppress("10 s"), TopologyError, r"suppress: '10 s' came; give hf.until_window_closes\(\) or"),
        (lambda o, c: c.suppress(hf.until_time(10)), DurationError, "until_time: limit must be a text"),
        (lambda o, c: hf.until_time("1 s", max_records=0), TopologyError, "max_records must be a whole number from 1"),
        (lambda o, c: hf.until_window_closes(on_full="drop"), TopologyError, "on_full is 'drop'; it may be"),
        (
            lambda o, c: (
                windowed(o, hf.tumbling("1 s"))
                .to_stream()
                .select_key(lambda k, n: k.key)
                .to_table()
                .suppress(hf.until_window_closes())
            ),
            TopologyError,
            "the key is string, no window; suppress before the key is changed",
        ),
    ],
)
def test_wrong_use_is_refused(orders, customers, make, error, message):
    with pytest.raises(error, match=message):
        make(orders, customers)


def test_a_versioned_table_is_refused(app):
    table = app.table("prices", float, key=str, store=hf.Materialized("prices", versioned="1 hour"))
    with pytest.raises(TopologyError, match="a versioned table emits every version at once"):
        table.filter(lambda p: p > 1).suppress(hf.until_time("1 s"))


def test_the_description_says_how_long(app, orders):
    windowed(orders, hf.hopping("1 minute", advance="1 s")).suppress(hf.until_window_closes(max_records=9)).to("out")
    text = app.describe()
    assert "hopping windows of 1 minute every 1 second" in text
    assert "until the window closes, at most 9 keys, then fail" in text
