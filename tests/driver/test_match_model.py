"""Patterns against a plain model, in batches of any size."""

from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import timed
from tests.driver.pattern_model import Step, matches

xs = st.integers(0, 5)
wanted = st.frozensets(xs, min_size=1, max_size=4)


@st.composite
def step(draw, first, may_be_absent):
    kinds = ["one", "one", "times"] + (["absent"] if may_be_absent else [])
    kind = draw(st.sampled_from(kinds))
    relation = None if first or draw(st.booleans()) else draw(st.integers(-2, 2))
    n = draw(st.integers(1, 3)) if kind == "times" else 1
    return Step(kind, draw(wanted), relation, n, kind == "times" and draw(st.booleans()))


@st.composite
def cases(draw):
    strict, overlap = draw(st.booleans()), draw(st.booleans())
    steps = [draw(step(first=True, may_be_absent=False))]
    several = steps[0].kind == "times"
    for _ in range(draw(st.integers(0, 3))):
        steps.append(draw(step(first=several, may_be_absent=not strict)))
    if draw(st.booleans()):
        steps.append(Step("absent", draw(wanted), None if several else draw(st.none() | st.integers(-2, 2))))
    jumps = st.sampled_from([0, 0, 1, 1, 2, 3, 5, 12, -1, -4, -11])
    at, records = 50, []
    for _ in range(draw(st.integers(0, 16))):
        at = max(0, at + draw(jumps))
        records.append((draw(st.sampled_from("aab")), draw(xs), at))
    return steps, records, draw(st.sampled_from([0, 1, 5, 10])), strict, overlap, draw(st.integers(2, 16))


def pattern(steps, strict, overlap):
    return hf.sequence(strict=strict, overlap=overlap, **{f"s{i}": clause(each) for i, each in enumerate(steps)})


def clause(each):
    if each.relation is None:

        def condition(p):
            return F.isin(p.x, *sorted(each.wanted))
    else:

        def condition(p, *, s0):
            return p.x > s0.x + each.relation

    if each.kind == "absent":
        return hf.absent(condition)
    return hf.repeat(condition, each.n, at_least=each.at_least) if each.kind == "times" else condition


def run(app, records, size):
    with Driver(app) as driver:
        for start in range(0, len(records), size):
            with driver.batch():
                for key, x, at in records[start : start + size]:
                    driver.pipe("in", {"x": x}, key=key, timestamp=at)
        assert driver.dead_letters() == []
        return [(key, plain(value), at) for key, value, at in timed(driver, "out")]


def plain(value):
    return [[r["x"] for r in taken] if isinstance(taken, list) else [taken["x"]] for taken in value.values()]


@settings(max_examples=150, deadline=None)
@given(cases())
def test_it_finds_what_the_model_finds_whatever_the_batches(case):
    steps, records, within, strict, overlap, size = case
    app = hf.App("patterns", tasks=1)
    stream = app.stream("in", "x BIGINT", key=str)
    stream.group_by_key().match(pattern(steps, strict, overlap), within=f"{within} ms").to("out")
    expected = matches(steps, records, within, strict, overlap)
    assert run(app, records, 1) == expected
    assert run(app, records, size) == expected
