"""Keys come and go: what nobody can need any more is forgotten, also what only the nodes themselves read."""

import pytest

import holdfast as hf
from holdfast.testing import Driver

WINDOWS = [
    hf.session("10 ms"),
    hf.session("10 ms", grace="5 ms", emit="final"),
    hf.session("10 ms", retention="40 ms", emit="final"),
]


def entries(driver, keys):
    """How many entries there are after so many keys, with three records each."""
    for start in range(0, keys, 20):
        with driver.batch():
            for i in range(start, min(start + 20, keys)):
                for time in (i * 3, i * 3 + 4, i * 3 + 2):
                    driver.pipe("in", 1, key=f"k{i}", timestamp=time)
    return driver._kernel.entries()


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_sessions_leave_nothing_behind(window):
    app = hf.App("bounded", tasks=1)
    app.stream("in", int, key=str).group_by_key().windowed_by(window).count(store="n")
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, 400) <= entries(few, 60) + 10


def test_a_session_that_grows_for_long_is_one_entry():
    app = hf.App("growing", tasks=1)
    app.stream("in", int, key=str).group_by_key().windowed_by(hf.session("10 ms", emit="final")).count(store="n")
    with Driver(app) as d:
        for time in range(0, 600, 5):
            d.pipe("in", 1, key="k", timestamp=time)
        assert d._kernel.entries() < 10


def test_a_trailing_window_keeps_its_records_and_one_result_per_key():
    app = hf.App("trailing", tasks=1)
    window = hf.trailing("10 ms", grace="5 ms")
    app.stream("in", int, key=str).group_by_key().windowed_by(window).count(store="n")
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, 400) - 400 <= entries(few, 60) - 60 + 10


def test_the_last_records_are_one_entry_per_key():
    app = hf.App("last", tasks=1)
    app.stream("in", int, key=str).group_by_key().windowed_by(hf.sliding_count(3)).count(store="n")
    with Driver(app) as d:
        for i in range(100):
            d.pipe("in", 1, key=f"k{i % 2}", timestamp=i)
        assert d._kernel.entries() == 2


PATTERNS = [
    hf.sequence(a=lambda v: v == 1, b=lambda v: v == 2),
    hf.sequence(overlap=True, a=lambda v: v == 1, b=lambda v, *, a: v > a),
    hf.sequence(a=lambda v: v == 1, b=lambda v: v == 1),
    hf.sequence(a=lambda v: v == 1, b=hf.absent(lambda v: v == 2)),
    hf.sequence(a=hf.repeat(lambda v: v == 1, 2, at_least=True)),
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_open_matches_leave_nothing_behind(pattern):
    app = hf.App("bounded", tasks=1)
    app.stream("in", int, key=str).group_by_key().match(pattern, within="10 ms").to("out")
    with Driver(app) as few, Driver(app) as many:
        assert entries(many, 400) <= entries(few, 60) + 10
