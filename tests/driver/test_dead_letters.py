"""An expression that fails on a record costs that record, wherever it stands, and nothing else."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.errors import KernelError
from holdfast.testing import Driver
from tests.driver.helpers import in_one_batch, letters, pairs

DIVIDE = "[DIVIDE_BY_ZERO] Division by zero. Use `try_divide` to tolerate divisor being 0 and return NULL instead."


def nodes():
    """Per kind of node: its name, and a program in which it divides by the value."""
    ratio = lambda v: 100 / v  # noqa: E731
    big = lambda v: 100 / v > 0  # noqa: E731
    return {
        "filter-1": lambda app, s: s.filter(big).to("out"),
        "filter_not-1": lambda app, s: s.filter_not(big).to("out"),
        "require-1": lambda app, s: s.require(big, reason="too small").to("out"),
        "map-1": lambda app, s: s.map(lambda k, v: (k, 100 / v)).to("out"),
        "map_values-1": lambda app, s: s.map_values(ratio).to("out"),
        "flat_map-1": lambda app, s: s.flat_map(lambda k, v: [(k, 100 / v)]).to("out"),
        "flat_map_values-1": lambda app, s: s.flat_map_values(lambda v: [100 / v]).to("out"),
        "select_key-1": lambda app, s: s.select_key(ratio).to("out"),
        "group_by-1": lambda app, s: s.group_by(ratio).count().to("out"),
        "split-1": lambda app, s: s.split(some=big).some.to("out"),
        "join-1": lambda app, s: s.left_join(app.table("t", int, key=str), lambda v, n: 100 / v).to("out"),
        "join-2": lambda app, s: (
            s.join(app.table("t", int, key=str), lambda v, n: v)
            .left_join(app.global_table("g", int, key=float), lambda v, n: v, on=ratio)
            .to("out")
        ),
        "reduce:r": lambda app, s: (
            s.group_by_key().reduce(lambda a, b: a + F.cast(100 / b, "bigint"), store="r").to("out")
        ),
        "aggregate:r": lambda app, s: s.group_by_key().aggregate(0.0, lambda a, b: a + 100 / b, store="r").to("out"),
        "agg:r": lambda app, s: s.group_by_key().agg(x=lambda v: F.sum(100 / v), store="r").to("out"),
        "top:r": lambda app, s: s.group_by_key().top(5, by=ratio, store="r").to("out"),
        "table_map_values-1": lambda app, s: s.to_table().map_values(ratio).to("out"),
        "table_map_values:r": lambda app, s: s.to_table().map_values(ratio, store="r").to("out"),
        "table_filter-1": lambda app, s: s.to_table().filter(big).to("out"),
        "to-1": lambda app, s: s.to(
            lambda v: F.concat(F.lit("o"), F.substring(F.cast(100 / v, "string"), 100, 1), F.lit("ut"))
        ),
        "to:out": lambda app, s: s.to("out", headers=lambda v: dict(x=F.cast(100 / v, "string"))),
    }


def program(node, **settings):
    app = hf.App("fails", **settings)
    nodes()[node](app, app.stream("in", int, key=str))
    return app


def fill_table(driver, node):
    if node.startswith("join"):
        for key in ("a", "bad", "c"):
            driver.pipe("t", 1, key=key)


@pytest.mark.parametrize("node", nodes())
def test_the_rest_of_the_batch_goes_on(node):
    with Driver(program(node)) as d:
        fill_table(d, node)
        d.pipe("in", 1, key="bad")
        d.read("out")
        with d.batch():
            for key, value in [("a", 5), ("bad", 0), ("c", 4)]:
                d.pipe("in", value, key=key)
        assert letters(d) == [(node, DIVIDE)]
        after = pairs(d, "out")
        if node in ("table_map_values-1", "table_filter-1"):
            after.remove(("bad", None))
        if node != "filter_not-1":
            assert len(after) == 2
        d.pipe("in", 2, key="bad")
        assert letters(d) == []


@pytest.mark.parametrize("node", nodes())
def test_fail_says_the_same_and_keeps_what_was_committed(node):
    with Driver(program(node, on_error="fail")) as d:
        fill_table(d, node)
        d.pipe("in", 4, key="a")
        before = dict(d.store("r").all()) if node.endswith(":r") else None
        d.read("out")
        with pytest.raises(KernelError) as caught:
            in_one_batch(d, "in", ("a", 5), ("bad", 1), ("bad", 0), ("c", 4))
        assert caught.value.node == node
        assert str(caught.value).count(DIVIDE) == 1
        assert "(record in/0 at offset 3)" in str(caught.value)
        assert pairs(d, "out") == []
        if before is not None:
            assert dict(d.store("r").all()) == before
        d.pipe("in", 4, key="c")
        if node != "filter_not-1":
            assert len(pairs(d, "out")) == 1


@pytest.mark.parametrize(
    ("expression", "value", "why"),
    [
        (lambda v: F.cast(v.s, "int"), {"s": "12x"}, "CAST_INVALID_INPUT"),
        (lambda v: v.n + 1, {"n": 2**63 - 1}, "ARITHMETIC_OVERFLOW"),
        (lambda v: F.cast(v.n, "int"), {"n": 2**40}, "CAST_OVERFLOW"),
        (lambda v: v.n % 0, {"n": 1}, "REMAINDER_BY_ZERO"),
        (lambda v: v.a[5], {"a": [1]}, "INVALID_ARRAY_INDEX"),
        (lambda v: F.to_timestamp(v.s), {"s": "never"}, "CAST_INVALID_INPUT"),
        (lambda v: F.raise_error(v.s), {"s": "my own words"}, "my own words"),
        (lambda v: F.from_json(v.s, "x BIGINT", {"mode": "FAILFAST"}), {"s": "{"}, "MALFORMED"),
    ],
)
def test_reasons(expression, value, why):
    app = hf.App("fails")
    app.stream("in", "s STRING, n BIGINT, a ARRAY<BIGINT>", key=str).map_values(expression).to("out")
    with Driver(app) as d:
        d.pipe("in", value, key="k", headers={"mine": b"1"})
        (letter,) = d.dead_letters()
        assert letter.node == "map_values-1"
        assert why in letter.reason
        assert "SQLSTATE" not in letter.reason
        assert "\n" not in letter.reason
        assert letter.record.key == b"k"
        assert letter.record.headers["mine"] == b"1"
        assert pairs(d, "out") == []


def test_a_source_may_have_a_mind_of_its_own():
    app = hf.App("strict")
    app.stream("loose", int, key=str).to("out")
    app.stream("strict", int, key=str, on_error="fail").to("out")
    with Driver(app) as d:
        d.pipe("loose", b"x", key="k")
        assert [node for node, _ in letters(d)] == ["loose"]
        with pytest.raises(KernelError, match=r"strict: value: .* \(record strict/0 at offset 0\)"):
            d.pipe("strict", b"x", key="k")


def test_dead_letters_are_a_stream():
    app = hf.App("letters")
    app.stream("in", int, key=str).to("out")
    app.dead_letters.map_values(lambda v: F.cast(F.element_at(hf.headers(), "hf-reason"), "string")).to("reasons")
    with Driver(app) as d:
        d.pipe("in", b"x", key="k")
        (reason,) = [r.value for r in d.read("reasons")]
        assert reason.startswith("value: ")


def test_a_letter_that_the_app_cannot_read_itself_makes_no_other():
    """Such an app would feed itself for ever."""
    app = hf.App("letters")
    app.stream("in", int, key=str).to("out")
    app.stream("letters-dead-letters", "n BIGINT NOT NULL", key=str).to("again")
    with Driver(app) as d:
        d.pipe("in", b"x", key="k")
        assert [node for node, _ in letters(d)] == ["in"]


@pytest.mark.parametrize("how", ["a record", "a fold", "an aggregate"])
def test_an_expression_that_needs_more_of_the_stack_than_there_is(how):
    """What repeats alternatives calls itself for each letter of the text."""
    app = hf.App("deep", tasks=1)
    rows = app.stream("in", "text STRING NOT NULL", key=str)
    match how:
        case "a record":
            rows.map_values(lambda v: dict(text=without(v.text))).to_table(store="state")
        case "a fold":
            rows.group_by_key().aggregate("", lambda s, v: F.concat(s, without(v.text)), store="state")
        case "an aggregate":
            rows.group_by_key().agg(text=F.max(without("text")), all=F.collect_set(without("text")), store="state")
    with Driver(app) as d:
        with d.batch():
            for key, text in (("a", "ab"), ("b", "abc"), ("a", "ab" * 100_000), ("a", "abc"), ("b", "ab" * 100_000)):
                d.pipe("in", {"text": text}, key=key)
        assert [reason[:54] for _, reason in letters(d)] == [
            "the expression takes more of the stack than there is; "
        ] * 2
        assert len(dict(d.store("state").all())) == 2


def without(text):
    return F.regexp_replace(text, "^(a|b)*", "-")
