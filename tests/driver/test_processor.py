"""Processors: records in, records out, with stores, children and what is taken back."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import timedelta

import pytest

import holdfast as hf
from holdfast.errors import KernelError
from holdfast.testing import Driver
from tests.driver.helpers import EPOCH, letters, pairs, timed, values


@dataclass
class Order:
    item: str
    price: float


@dataclass
class Basket:
    items: list[str]
    total: float = 0.0


class Baskets(hf.Processor[str, Order]):
    returns = Basket
    baskets = hf.StateStore("baskets", key=str, value=Basket)

    def process(self, record: hf.Record[str, Order]) -> None:
        basket = self.baskets.get(record.key) or Basket([])
        basket.items.append(record.value.item)
        basket.total += record.value.price
        self.baskets[record.key] = basket
        self.context.forward(record.replace(value=basket))
        if record.value.price < 0:
            raise ValueError("less than nothing")


def run(cls, *records, key=str, value=int, **more):
    """Pipe (key, value) pairs through a processor, each at its number in milliseconds, in one batch."""
    app = hf.App("through", tasks=1)
    app.stream("in", value, key=key).process(cls, **more).to("out")
    driver = Driver(app)
    with driver.batch():
        for number, (k, v) in enumerate(records):
            driver.pipe("in", v, key=k, timestamp=number)
    return driver


def test_state_is_kept_per_key_and_can_be_queried():
    app = hf.App("shop")
    app.stream("orders", Order, key=str).process(Baskets).to("baskets")
    with Driver(app) as d:
        d.pipe("orders", {"item": "tea", "price": 2.0}, key="ann", timestamp=5)
        d.pipe("orders", {"item": "milk", "price": 1.0}, key="ann", timestamp=6)
        d.pipe("orders", {"item": "tea", "price": 2.0}, key="bob", timestamp=7)
        assert timed(d, "baskets") == [
            ("ann", {"items": ["tea"], "total": 2.0}, 5),
            ("ann", {"items": ["tea", "milk"], "total": 3.0}, 6),
            ("bob", {"items": ["tea"], "total": 2.0}, 7),
        ]
        d.crash()
        assert dict(d.store("baskets").all()) == {
            "ann": {"items": ["tea", "milk"], "total": 3.0},
            "bob": {"items": ["tea"], "total": 2.0},
        }


def test_what_a_failed_record_did_is_taken_back():
    app = hf.App("shop", tasks=1)
    app.stream("orders", Order, key=str).process(Baskets).to("out")
    with Driver(app) as d:
        with d.batch():
            for item, price in [("tea", 2.0), ("debt", -9.0), ("milk", 1.0)]:
                d.pipe("orders", {"item": item, "price": price}, key="ann")
        assert [v["items"] for v in values(d, "out")] == [["tea"], ["tea", "milk"]]
        assert d.store("baskets")["ann"] == {"items": ["tea", "milk"], "total": 3.0}
        [(node, reason)] = letters(d)
        assert node == "Baskets"
        assert reason.startswith("Baskets (test_processor.py:")
        assert "ValueError: less than nothing" in reason
        assert "test_processor.py" in reason.partition("[")[2]


class Mutating(hf.Processor[str, int]):
    returns = list[int]
    seen = hf.StateStore(key=str, value=list[int])

    def process(self, record: hf.Record[str, int]) -> None:
        seen = self.seen.get(record.key) or []
        seen.append(record.value)
        if record.value % 2:
            self.seen.put(record.key, seen)
            seen.append(99)
        self.context.forward(record.replace(value=self.seen.get(record.key)))


def test_only_put_changes_what_is_kept():
    assert values(run(Mutating, ("a", 1), ("a", 2), ("a", 3)), "out") == [[1], [1], [1, 3]]


class Stores(hf.Processor[str, int]):
    returns = str
    kept = hf.StateStore(key=str, value=int)

    def process(self, record: hf.Record[str, int]) -> None:
        kept = self.kept
        said: list[object] = [record.key in kept, kept.put_if_absent(record.key, record.value)]
        kept["all"] = kept.get("all", 0) + 1
        if record.value == 0:
            said += [kept.delete(record.key), kept.delete(record.key), record.key in kept]
            kept["gone"] = 1
            del kept["gone"]
            for missing in ("gone", "never"):
                try:
                    del kept[missing]
                except KeyError as error:
                    said.append(error.args[0])
        self.context.forward(record.replace(value=repr([*said, kept["all"]])))


def test_stores_are_asked_and_changed():
    assert values(run(Stores, ("a", 1), ("b", 0), ("a", 2), ("a", 0)), "out") == [
        "[False, None, 1]",
        "[False, None, 0, None, False, 'gone', 'never', 2]",
        "[True, 1, 3]",
        "[True, 1, 1, None, False, 'gone', 'never', 4]",
    ]


def test_the_same_comes_of_single_batches():
    records = [("a", 1), ("b", 0), ("a", 2), ("a", 0)]
    app = hf.App("through", tasks=1)
    app.stream("in", int, key=str).process(Stores).to("out")
    with Driver(app) as d:
        for k, v in records:
            d.pipe("in", v, key=k)
        assert values(d, "out") == values(run(Stores, *records), "out")


class Sorting(hf.Processor[str, int]):
    children = ("low", "high")

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value < 0:
            self.context.forward(record)
        elif record.value < 100:
            self.context.forward(record, to="low" if record.value < 10 else "high")
        else:
            self.context.forward(record, to="huge")


def test_records_go_to_named_children_and_to_all():
    app = hf.App("sorting", tasks=1)
    numbers = app.stream("in", int, key=str).process(Sorting)
    numbers.to("everybody")
    for child in ("low", "high"):
        numbers.child(child).to(child)
    with Driver(app) as d:
        with d.batch():
            for n in (1, 20, -1, 3, 500):
                d.pipe("in", n, key="k")
        assert [values(d, topic) for topic in ("everybody", "low", "high")] == [[-1], [1, -1, 3], [20, -1]]
        [(_, reason)] = letters(d)
        assert "LookupError: there is no child 'huge'; children of Sorting" in reason
        assert "'low', 'high'" in reason


class Spreading(hf.Processor[str, int]):
    returns = (str, int)
    children = {"texts": (str, str)}

    def process(self, record: hf.Record[str, int]) -> None:
        for n in range(record.value):
            self.context.forward(record.replace(key=f"{record.key}{n}"))
        self.context.forward(record.replace(value=record.value if record.value == 9 else "done"), to="texts")


def test_children_have_types_of_their_own():
    app = hf.App("spread")
    spread = app.stream("in", int, key=str).process(Spreading)
    spread.group_by_key().count(store="counts")
    spread.child("texts").to("texts")
    assert spread.schema == "key: STRING\nvalue: BIGINT"
    assert spread.child("texts").schema == "key: STRING\nvalue: STRING"
    with Driver(app) as d:
        d.pipe("in", 2, key="a")
        d.pipe("in", 9, key="a")
        assert pairs(d, "texts") == [("a", "done")]
        assert dict(d.store("counts").all()) == {"a0": 1, "a1": 1}
        [(_, reason)] = letters(d)
        assert "forward to 'texts': value: str was wanted, 9 (int) came" in reason


class Rekeying(hf.Processor[str, int]):
    returns = (str, int)

    def process(self, record: hf.Record[str, int]) -> None:
        self.context.forward(record.replace(key=str(record.value % 2)))


def test_new_keys_are_grouped_in_their_own_tasks():
    app = hf.App("spread", tasks=8)
    app.stream("in", int, key=str).process(Rekeying).group_by_key().count(store="counts")
    with Driver(app) as d:
        with d.batch():
            for n in range(20):
                d.pipe("in", n, key=str(n))
        assert dict(d.store("counts").all()) == {"0": 10, "1": 10}


class Renaming(hf.Processor[str, int]):
    def process(self, record: hf.Record[str, int]) -> None:
        self.context.forward(record.replace(key="other"))


def test_a_key_that_was_not_to_change_is_refused():
    [(_, reason)] = letters(run(Renaming, ("a", 1)))
    assert "the key was 'a' and is 'other'; a processor that changes keys declares both types" in reason


class Wrong(hf.Processor[str, int]):
    returns = int
    kept = hf.StateStore("kept", key=str, value=int)

    def process(self, record: hf.Record[str, int]) -> None:
        match record.value:
            case 0:
                self.kept.put(record.key, "text")  # type: ignore[arg-type]
            case 1:
                self.kept.put(5, 5)  # type: ignore[arg-type]
            case 2:
                self.kept.get(None)  # type: ignore[call-overload]
            case 3:
                self.context.forward(record.replace(value="text"))
            case 4:
                self.context.forward("text")  # type: ignore[arg-type]
            case 5:
                self.context.forward(record.replace(timestamp=5))
            case 6:
                self.context.forward(record.replace(headers={"a": "text"}))
            case 7:
                self.kept.put(record.key, 1 << 70)
            case 8:
                list(self.kept.range(prefix="a", end=5))  # type: ignore[arg-type]
            case 9:
                self.context.forward(record.replace(value=1 << 70))
            case 10:
                self.kept.put("\udc00", 1)
            case 11:
                self.context.forward(record.replace(headers={"\udc00": b"1"}))
        self.context.forward(record)


def test_wrong_types_are_named_and_the_rest_goes_on():
    driver = run(Wrong, *((str(n), n) for n in range(13)))
    assert values(driver, "out") == [12]
    said = [
        "store 'kept': value: int was wanted, 'text' (str) came",
        "store 'kept': key: str was wanted, 5 (int) came",
        "store 'kept': a key was wanted, None came",
        "forward: value: int was wanted, 'text' (str) came",
        "forward wants an hf.Record, 'text' came; use record.replace(value=...)",
        "timestamp: a datetime with a time zone was wanted, 5 came",
        "forward: headers: names are str and values bytes, 'a': 'text' came",
        "store 'kept': value: ",
        "store 'kept': key: str was wanted, 5 (int) came",
        "forward: value: ",
        "store 'kept': key: ",
        "surrogates not allowed",
    ]
    for (_, reason), expected in zip(letters(driver), said, strict=True):
        assert expected in reason
    assert dict(driver.store("kept").all()) == {}


class Describing(hf.Processor[str, str]):
    returns = str

    def process(self, record: hf.Record[str, str]) -> None:
        outcome = (
            f"{record.topic}/{record.partition}/{record.offset} {record.timestamp.microsecond} {dict(record.headers)}"
        )
        self.context.forward(record.replace(value=outcome))
        self.context.forward(record.replace(value=record.value, headers={**record.headers, "more": b"1"}))
        self.context.forward(record.replace(timestamp=record.timestamp + timedelta(seconds=1), headers={}))


def test_metadata_headers_and_times():
    app = hf.App("meta")
    app.stream("in", str, key=str).process(Describing).to("out")
    with Driver(app) as d:
        d.pipe("in", "x", key="a", partition=2, timestamp=3, headers={"one": b"1"})
        first, second, third = d.read("out")
    assert first.value == "in/2/0 3000 {'one': b'1'}"
    assert first.headers == {"one": b"1"}
    assert second.headers == {"one": b"1", "more": b"1"}
    assert (third.headers, third.timestamp) == ({}, EPOCH + timedelta(seconds=1, milliseconds=3))


def test_null_keys_and_values_come_as_none():
    class Passing(hf.Processor[str, int]):
        def process(self, record: hf.Record[str, int]) -> None:
            self.context.forward(record)

    assert pairs(run(Passing, (None, 1), ("a", None)), "out") == [(None, 1), ("a", None)]


class Limited(hf.Processor[str, int]):
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def process(self, record: hf.Record[str, int]) -> None:
        if record.value <= self.limit:
            self.context.forward(record)


def test_a_processor_with_arguments():
    assert values(run(functools.partial(Limited, 2), ("a", 1), ("a", 5), ("a", 2)), "out") == [1, 2]


class Calls(hf.Processor[str, int]):
    log: list[str] = []

    def init(self, context: hf.ProcessorContext) -> None:
        self.log.append("init")
        assert context is self.context

    def process(self, record: hf.Record[str, int]) -> None:
        self.log.append(f"process {record.value}")

    def close(self) -> None:
        self.log.append("close")


def test_a_processor_is_made_anew_for_each_batch():
    app = hf.App("calls", tasks=1)
    app.stream("in", int, key=str).process(Calls)
    Calls.log.clear()
    with Driver(app) as d:
        with d.batch():
            d.pipe("in", 1, key="a")
            d.pipe("in", 2, key="b")
        d.pipe("in", 3, key="a")
    assert Calls.log == ["init", "process 1", "process 2", "close", "init", "process 3", "close"]


class Broken(hf.Processor[str, int]):
    def init(self, context: hf.ProcessorContext) -> None:
        raise RuntimeError("no luck")

    def process(self, record: hf.Record[str, int]) -> None: ...


def test_a_processor_that_cannot_begin_stops_the_app():
    with pytest.raises(KernelError, match=r"Broken \(test_processor.py:\d+\): RuntimeError: no luck"):
        run(Broken, ("a", 1))


@dataclass(frozen=True)
class Place:
    country: str
    city: str | None


class PerPlace(hf.Processor[Place, int]):
    returns = str
    sums = hf.StateStore("sums", key=Place, value=int)

    def process(self, record: hf.Record[Place, int]) -> None:
        assert isinstance(record.key, Place)
        self.sums[record.key] = self.sums.get(record.key, 0) + record.value
        pairs_found = [(place.city, n) for place, n in self.sums.range(Place("at", None), Place("de", "b"))]
        self.context.forward(record.replace(value=repr(pairs_found)))


def test_records_as_keys():
    places = [("de", "c"), ("de", "a"), ("at", None), ("de", "a"), ("ch", "b")]
    driver = run(PerPlace, *(({"country": country, "city": city}, 1) for country, city in places), key=Place)
    assert values(driver, "out")[-1] == "[(None, 1), ('b', 1), ('a', 2)]"
    assert letters(driver) == []


def test_a_dead_letter_is_put_back():
    app = hf.App("shop", tasks=1)
    app.stream("orders", Order, key=str).process(Baskets).to("out")
    with Driver(app) as d:
        d.pipe("orders", {"item": "tea", "price": 2.0}, key="ann")
        d.pipe("orders", {"item": "debt", "price": -9.0}, key="ann")
        [letter] = d.dead_letters()
        d.replay(letter, {"item": "milk", "price": 1.0})
        assert d.dead_letters() == []
        assert d.store("baskets")["ann"] == {"items": ["tea", "milk"], "total": 3.0}


class Zeros(hf.Processor[str, float]):
    returns = int
    seen = hf.StateStore("seen", key=float, value=int)

    def process(self, record):
        self.seen[record.value] = self.seen.get(record.value, 0) + 1
        self.context.forward(record.replace(value=self.seen[record.value]))


def test_either_zero_is_the_same_key_of_a_store():
    app = hf.App("zeros", tasks=1)
    app.stream("in", float, key=str).process(Zeros).to("out")
    with Driver(app) as driver:
        for zero in (0.0, -0.0, 0.0):
            driver.pipe("in", zero, key="k")
        assert [r.value for r in driver.read("out")] == [1, 2, 3]
        assert dict(driver.store("seen").all()) == {0.0: 3}
