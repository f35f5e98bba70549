import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs, through


def test_one_key():
    assert through(lambda s: s.select_key(lambda v: v.x), ("a", {"x": 7})) == [(7, {"x": 7, "s": None})]


def test_several_keys_are_a_record():
    assert through(lambda s: s.select_key("s", "x"), ("a", {"x": 7, "s": "q"})) == [
        ({"s": "q", "x": 7}, {"x": 7, "s": "q"})
    ]


def test_record_keys_group():
    app = hf.App("pairs")
    app.stream("in", "x INT, s STRING").group_by("s", "x").count(store="n").to("out")
    with Driver(app) as d:
        for x, s in [(1, "a"), (2, "a"), (1, "a"), (None, "a"), (None, "a")]:
            d.pipe("in", {"x": x, "s": s})
        assert [(k, v) for k, v in pairs(d, "out")] == [
            ({"s": "a", "x": 1}, 1),
            ({"s": "a", "x": 2}, 1),
            ({"s": "a", "x": 1}, 2),
            ({"s": "a", "x": None}, 1),
            ({"s": "a", "x": None}, 2),
        ]
        assert d.store("n")[{"s": "a", "x": 1}] == 2


def test_the_default_key_is_bytes():
    app = hf.App("raw")
    app.stream("in", "x BIGINT").group_by_key().count(store="n").to("out")
    with Driver(app) as d:
        for key in [b"\x00\xff", b"", b"\x00\xff"]:
            d.pipe("in", {"x": 1}, key=key)
        assert pairs(d, "out") == [(b"\x00\xff", 1), (b"", 1), (b"\x00\xff", 2)]
        assert d.store("n")[b"\x00\xff"] == 2


def test_text_keys_of_any_script():
    app = hf.App("scripts")
    app.stream("in", str, key=str).group_by_key().count(store="n").to("out")
    with Driver(app) as d:
        for key in ["é", "日本", "😀", "é", ""]:
            d.pipe("in", "x", key=key)
        assert dict(d.store("n").all()) == {"é": 2, "日本": 1, "😀": 1, "": 1}


def test_zero_has_one_key_and_so_has_nan():
    app = hf.App("doubles")
    app.stream("in", "x DOUBLE").group_by("x").count(store="n").to("out")
    app.stream("keyed", str, key=float).group_by_key().count(store="m")
    with Driver(app) as d:
        for x in [0.0, -0.0, "NaN", "NaN"]:
            d.pipe("in", {"x": x})
            d.pipe("keyed", "v", key=str(x).encode())
        assert [v for _, v in pairs(d, "out")] == [1, 2, 1, 2]
        assert d.store("m")[0.0] == 2


def test_integers_of_all_widths_are_one_key():
    app = hf.App("widths")
    names = app.table("names", str, key=int)
    app.stream("in", "x INT, y SMALLINT", key=hf.int32()).join(names, lambda k, v, n: dict(k=k, n=n)).to("by-own")
    app.stream("in", "x INT, y SMALLINT", key=hf.int32()).select_key("y").join(
        names, lambda k, v, n: dict(k=k, n=n)
    ).to("out")
    with Driver(app) as d:
        d.pipe("names", "five", key=5)
        d.pipe("in", {"x": 1, "y": 5}, key=5)
        assert pairs(d, "by-own") == pairs(d, "out") == [(5, {"k": 5, "n": "five"})]


def test_a_null_key_goes_on_but_not_into_a_table():
    app = hf.App("nulls")
    keyed = app.stream("in", "x BIGINT").select_key("x")
    keyed.to("out")
    keyed.group_by_key().count(store="n")
    with Driver(app) as d:
        d.pipe("in", {"x": None})
        assert pairs(d, "out") == [(None, {"x": None})]
        assert letters(d) == [("count:n", "the key is null; a table has no place for it")]


def test_a_key_may_be_computed():
    assert through(lambda s: s.select_key(lambda k, v: F.concat(k, v.s)), ("a", {"s": "b"})) == [
        ("ab", {"x": None, "s": "b"})
    ]


FORMS = "a DOUBLE, b ARRAY<FLOAT>"
ZERO, MINUS = {"a": 0.0, "b": [0.0, 1.5]}, {"a": -0.0, "b": [-0.0, 1.5]}


class Rekeyed(hf.Processor[str, dict]):
    returns = (FORMS, FORMS)

    def process(self, record):
        self.context.forward(record.replace(key=record.value, value=record.value))


MADE = {
    "the topic": lambda app: app.stream("in", "a DOUBLE", key=hf.json(FORMS)),
    "flat_map": lambda app: app.stream("in", FORMS, key=str).flat_map(lambda v: [(dict(v), v)]),
    "select_key": lambda app: app.stream("in", FORMS, key=str).select_key(lambda v: dict(v)),
    "a processor": lambda app: app.stream("in", FORMS, key=str).process(Rekeyed),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE.keys())
def test_zero_has_one_form_inside_of_a_key_too(made):
    app = hf.App("zeros")
    made(app).group_by_key().count(store="n")
    with Driver(app) as driver:
        for form in (ZERO, MINUS):
            driver.pipe("in", form, key=form if made is MADE["the topic"] else "k")
        assert [n for _, n in driver.store("n").all()] == [2]


def test_a_foreign_key_that_is_a_record_finds_either_zero():
    app = hf.App("zeros")
    rows = app.table("rows", FORMS, key=str)
    names = app.table("names", str, key=hf.json(FORMS))
    rows.join(names, lambda row, name: name, on=lambda row: dict(row)).to("out")
    with Driver(app) as driver:
        driver.pipe("names", "zero", key=ZERO)
        driver.pipe("rows", MINUS, key="k")
        assert [r.value for r in driver.read("out")] == ["zero"]
