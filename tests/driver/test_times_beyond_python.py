"""Timestamps and dates in keys and values that Python's calendar does not have."""

import pytest

import holdfast as hf
from holdfast.testing import Driver

BEYOND = 253_402_300_800_000  # the first millisecond of the year 10000
FAR = (2**63 - 1) // 1000
SCHEMA = "n BIGINT, at TIMESTAMP, day DATE, more ARRAY<STRUCT<at: TIMESTAMP>>"
GOOD = {"n": 1, "at": 0, "day": "2026-01-01", "more": [{"at": 5}]}
BAD = [
    {"at": BEYOND},
    {"at": FAR},
    {"at": "0000-12-31T00:00:00Z"},
    {"day": "+10000-01-01"},
    {"day": "0000-12-31"},
    {"more": [{"at": 5}, {"at": BEYOND}]},
]


def plain(value):
    return value.n


def keyed(key, value):
    return value.n


def added(total, value):
    return total + value.n


@hf.stateful(state={"n": int}, returns=int)
def counting(key, value, state, timers):
    state.n += value.n
    return state.n


class Passing(hf.Processor):
    returns = int

    def process(self, record):
        self.context.forward(record.replace(value=record.value.n))


PROGRAMS = {
    "function": lambda s: s.map_values(hf.python(plain, returns=int)),
    "function of key and value": lambda s: s.map_values(hf.python(keyed, returns=int)),
    "fold": lambda s: s.group_by_key().aggregate(0, hf.python(added, returns=int), store="kept"),
    "state": lambda s: s.process(counting, store="kept"),
    "processor": lambda s: s.process(Passing),
}


@pytest.mark.parametrize("bad", BAD, ids=str)
@pytest.mark.parametrize("part", ["key", "value"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_record_that_python_cannot_have_is_a_dead_letter(program, part, bad):
    app = hf.App("beyond", tasks=1)
    PROGRAMS[program](app.stream("in", SCHEMA, key=SCHEMA)).to("out")
    with Driver(app) as d:
        with d.batch():
            for other in ({}, bad, {}):
                parts = {"key": GOOD, "value": GOOD, part: {**GOOD, **other}}
                d.pipe("in", parts["value"], key=parts["key"])
        d.pipe("in", GOOD, key=GOOD)
        found = d.dead_letters()
        if part == "key" and program in ("function", "fold"):
            # Nothing of the key goes to Python.
            assert found == []
            return
        (letter,) = found
        assert "which Python does not have" in letter.reason
        assert len(d.read("out")) == (2 if program == "fold" else 3)
