import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from tests.driver.helpers import letters, pairs


def program(with_="table", **options):
    app = hf.App("names")
    names = getattr(app, with_)("names", str, key=str)
    if with_ == "global_table":
        options.setdefault("on", lambda k, v: k)
    app.stream("in", str, key=str).left_join(names, lambda v, n: dict(v=v, n=n), **options).to("out")
    return app


@pytest.fixture(params=["table", "global_table"])
def table(request):
    return request.param


def test_left_join_keeps_it_with_null(table):
    with Driver(program(table)) as d:
        d.pipe("in", "before", key="a")
        d.pipe("names", "Ada", key="a")
        d.pipe("in", "with", key="a")
        d.pipe("names", None, key="a")
        d.pipe("in", "deleted", key="a")
        assert [v["n"] for _, v in pairs(d, "out")] == [None, "Ada", None]


def test_a_join_key_that_is_null_has_no_match():
    with Driver(program("global_table", on=lambda v: F.nullif(v, F.lit("none")))) as d:
        d.pipe("names", "Ada", key="a")
        for value in ("a", "none"):
            d.pipe("in", value, key="k")
        assert pairs(d, "out") == [("k", {"v": "a", "n": "Ada"}), ("k", {"v": "none", "n": None})]
        assert letters(d) == []
