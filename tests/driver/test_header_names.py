"""Headers of input records may have any name, also one that dead letters use: they come through and mean nothing."""

import pytest

import holdfast as hf
from holdfast import functions as F
from holdfast.testing import Driver
from holdfast.topics.letters import letter as read_letter
from holdfast.topics.records import Record
from tests.headers import LISTS, NAMES, VALUES


def program() -> hf.App:
    app = hf.App("shop")
    orders = app.stream("orders", "item STRING, pieces BIGINT NOT NULL", key=str)
    good = orders.require(lambda o: o.pieces > 0, reason="no pieces")
    good.to("good")
    good.group_by(lambda o: o.item).agg(pieces=lambda o: F.sum(60 / o.pieces), store="per-item")
    return app


def parsed(dead):
    found = dead.record
    return read_letter(Record("shop-dead-letters", found.key, found.value, 0, found.all_headers, 0, dead.number))


@pytest.mark.parametrize("headers", LISTS)
@pytest.mark.parametrize("at", ["node", "source"])
@pytest.mark.parametrize(("bad", "node"), [(b"{", "orders"), (b'{"item":"x","pieces":-1}', "require-1")])
def test_a_letter_is_read_and_replayed_whatever_its_record_says(bad, node, at, headers):
    with Driver(program()) as d:
        d.pipe("orders", bad, key="a", timestamp=5, headers=headers)
        (dead,) = d.dead_letters()
        found = parsed(dead)
        assert found is not None
        assert (found.node, found.topic, found.offset, found.attempt, found.gone) == (node, "orders", 0, 0, False)
        assert found.headers == tuple(headers)
        assert (dead.node, dead.record.value) == (node, bad)
        d.replay(dead, {"item": "x", "pieces": 3}, at=at)
        assert d.dead_letters() == []
        (good,) = d.read("good")
        assert (good.key, good.value) == ("a", {"item": "x", "pieces": 3})
        assert good.all_headers == (*headers, ("hf-replayed", b"1"))
        assert d.store("per-item")["x"] == {"pieces": 20.0}


@pytest.mark.parametrize("headers", LISTS)
def test_behind_an_exchange(headers):
    app = hf.App("shop")
    sums = app.stream("in", int, key=str).group_by(lambda v: v % 2).agg(x=lambda v: F.sum(100 / v), store="sums")
    sums.to("out")
    with Driver(app) as d:
        d.pipe("in", 0, key="a", headers=headers)
        (dead,) = d.dead_letters()
        found = parsed(dead)
        assert found is not None
        assert (found.node, found.attempt, found.headers, found.seen.value) == ("agg:sums", 0, tuple(headers), b"0")
        d.replay(dead)
        (again,) = d.dead_letters()
        second = parsed(again)
        assert second is not None
        assert (second.attempt, second.headers) == (1, tuple(headers))
        d.replay(again, 50)
        assert d.store("sums")[0] == {"x": 2.0}
        assert d.read("out")[-1].all_headers == (*headers, ("hf-replayed", b"2"))


@pytest.mark.parametrize("headers", LISTS)
def test_an_output_has_them_and_no_mark(headers):
    with Driver(program()) as d:
        d.pipe("orders", {"item": "x", "pieces": 3}, key="a", headers=headers)
        assert d.read("good")[0].all_headers == tuple(headers)


NOT_OF_LETTERS = {"hf-null", "hf-epoch", "hf-input", "hf-window-start", "hf-window-end", "hf-stream-time"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - NOT_OF_LETTERS))
def test_what_a_letter_does_not_say_is_null_and_not_what_the_record_says(name):
    """Other consumers look at the last header of a name."""
    with Driver(program()) as d:
        d.pipe("orders", b"{", key="a", headers=[(name, b"forged")])
        (dead,) = d.dead_letters()
        assert dict(dead.record.all_headers)[name] != b"forged"


def test_null_key_and_value_are_not_taken_from_the_record():
    headers = [("hf-key", b"forged"), ("hf-value", b"forged"), ("hf-null", b"value"), ("hf-seen", b"headers")]
    app = hf.App("shop")
    app.stream("in", str, key=str).require(lambda v: v == "ok", reason="no").to("out")
    with Driver(app) as d:
        d.pipe("in", "bad", key=None, headers=headers)
        (dead,) = d.dead_letters()
        d.replay(dead, "ok")
        (out,) = d.read("out")
        assert (out.key, out.value) == (None, "ok")


@pytest.mark.parametrize("value", VALUES)
def test_a_mark_that_came_with_a_record_is_no_mark(value):
    app = hf.App("pairs")
    left, right = (app.stream(name, str, key=str) for name in ("l", "r"))
    left.join(right, lambda a, b: F.concat(a, b), within="10 ms").to("out")
    with Driver(app) as d:
        d.pipe("l", "a", key="k", timestamp=1, headers=[("hf-replayed", value)])
        d.pipe("r", "b", key="k", timestamp=2)
        assert d.read("out")[0].all_headers == ()


def test_of_a_replayed_record_and_one_that_only_says_so_the_pair_has_one_mark():
    app = hf.App("pairs")
    left, right = (app.stream(name, str, key=str) for name in ("l", "r"))
    good = left.require(lambda v: v != "?", reason="no")
    good.join(right, lambda a, b: F.concat(a, b), within="10 ms").to("out")
    with Driver(app) as d:
        d.pipe("l", "?", key="k", timestamp=1)
        d.replay(d.dead_letters()[0], "a")
        d.pipe("r", "b", key="k", timestamp=2, headers=[("hf-replayed", b"theirs")])
        assert d.read("out")[0].all_headers == (("hf-replayed", b"theirs"), ("hf-replayed", b"1"))


class More(hf.Processor[str, str]):
    returns = str

    def process(self, record):
        self.context.forward(record.replace(headers={**record.headers, "x": b"1"}))


class Fewer(hf.Processor[str, str]):
    returns = str

    def process(self, record):
        self.context.forward(record.replace(headers={}))


@pytest.mark.parametrize(("processor", "chosen"), [(More, (("a", b"0"), ("x", b"1"))), (Fewer, ())])
def test_a_processor_that_chooses_headers_keeps_the_mark_once(processor, chosen):
    app = hf.App("shop")
    app.stream("in", str, key=str).require(lambda v: v != "?", reason="no").process(processor).to("out")
    with Driver(app) as d:
        d.pipe("in", "?", key="k", headers={"a": b"0"})
        d.replay(d.dead_letters()[0], "a")
        assert d.read("out")[0].all_headers == (*chosen, ("hf-replayed", b"1"))


def test_a_time_outside_of_pythons_calendar():
    app = hf.App("far")
    app.stream("in", int, key=str).map_values(lambda v: F.cast(10 / v, "bigint")).to("out")
    with Driver(app) as d:
        d.pipe("in", 0, key="a", timestamp=10**15)
        (dead,) = d.dead_letters()
        assert (dead.record.timestamp.year, dead.record.milliseconds) == (9999, 10**15)


@pytest.mark.parametrize("headers", LISTS)
def test_late_records(headers):
    app = hf.App("late")
    app.stream("in", int, key=str).group_by_key().windowed_by(hf.tumbling("10 ms"), late="too-late").count(store="n")
    with Driver(app) as d:
        d.pipe("in", 1, key="a", timestamp=100)
        d.pipe("in", 2, key="a", timestamp=1, headers=headers)
        (late,) = d.late()
        assert (late.topic, late.record.value, late.record.all_headers) == ("in", 2, tuple(headers))
        assert d.read("too-late")[0].all_headers[: len(headers)] == tuple(headers)
