"""hf.arrow: functions of whole batches, wherever a stream takes a function of one record."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import holdfast as hf
from holdfast.testing import Driver

ORDERS = "id BIGINT NOT NULL, item STRING, price DOUBLE"
THREE = [{"id": 1, "item": "tea", "price": 2.5}, {"id": 2, "item": None, "price": None}, {"id": 3, "price": 4.0}]


@dataclass
class Priced:
    id: int
    total: float | None


def ran(build, records=THREE, declared=ORDERS):
    app = hf.App("arrow", tasks=2)
    build(app.stream("orders", declared, key=str)).to("out")
    with Driver(app) as d:
        with d.batch():
            for n, record in enumerate(records):
                d.pipe("orders", record, key=f"k{n}")
        return [(r.key, r.value) for r in d.read("out")], [letter.reason for letter in d.dead_letters()]


def doubled(batch):
    return pa.record_batch({"total": pc.multiply(batch["price"], 2), "id": batch["id"]})


def test_a_batch_in_and_one_out_by_the_names_of_columns():
    records, dead = ran(lambda s: s.map_values(hf.arrow(doubled, returns=Priced)))
    assert dead == []
    assert [value for _, value in records] == [
        {"id": 1, "total": 5.0},
        {"id": 2, "total": None},
        {"id": 3, "total": 8.0},
    ]


def test_it_gets_the_whole_batch_with_the_declared_types():
    seen = []

    def look(batch):
        seen.append(batch)
        return batch["id"]

    ran(lambda s: s.map_values(hf.arrow(look, returns=int)))
    [batch] = seen
    assert (batch.num_rows, batch.schema.names) == (3, ["id", "item", "price"])
    assert batch.schema.types == [pa.int64(), pa.string(), pa.float64()]


def test_keys_come_first_as_an_array():
    def tagged(keys, batch):
        return pc.binary_join_element_wise(keys, pc.cast(batch["id"], pa.string()), "-")

    records, _ = ran(lambda s: s.map_values(hf.arrow(tagged, returns=str)))
    assert [value for _, value in records] == ["k0-1", "k1-2", "k2-3"]


def test_values_that_are_no_records_are_the_column_value():
    longer = hf.arrow(lambda batch: pc.utf8_upper(batch["value"]), returns=str)
    records, _ = ran(lambda s: s.map_values(longer), ["a", "b"], declared=str)
    assert [value for _, value in records] == ["A", "B"]


@pytest.mark.parametrize(("method", "left"), [("filter", ["k2"]), ("filter_not", ["k0", "k1"])])
def test_predicates(method, left):
    large = hf.arrow(lambda batch: pc.greater(batch["price"], 3), returns=bool)
    records, _ = ran(lambda s: getattr(s, method)(large))
    assert [key for key, _ in records] == left


def test_keys_and_pairs():
    item = hf.arrow(lambda batch: pc.fill_null(batch["item"], "?"), returns=str)
    records, _ = ran(lambda s: s.select_key(item).map_values(lambda o: o.id))
    assert records == [("tea", 1), ("?", 2), ("?", 3)]
    both = hf.arrow(lambda keys, batch: (batch["id"], keys), returns=(int, str))
    records, _ = ran(lambda s: s.map(both))
    assert records == [(1, "k0"), (2, "k1"), (3, "k2")]


def test_group_by():
    app = hf.App("arrow", tasks=4)
    parity = hf.arrow(lambda batch: pc.bit_wise_and(batch["id"], 1), returns=int)
    app.stream("orders", ORDERS, key=str).group_by(parity).count(store="parity")
    with Driver(app) as d, d.batch():
        for n in range(5):
            d.pipe("orders", {"id": n})
    assert dict(d.store("parity")) == {0: 3, 1: 2}


def test_foreach_gets_batches_and_may_give_nothing():
    seen = []

    def build(stream):
        stream.foreach(hf.arrow(lambda batch: seen.append(batch.num_rows), returns=None))
        return stream

    records, dead = ran(build)
    assert (len(records), dead, seen) == (3, [], [3])


def test_one_request_for_a_whole_batch():
    async def ask(batch):
        await asyncio.sleep(0)
        return batch["id"]

    records, _ = ran(lambda s: s.map_values(hf.arrow(ask, returns=int)))
    assert [value for _, value in records] == [1, 2, 3]


def test_pandas():
    pytest.importorskip("pandas")

    def frame(batch):
        table = batch.to_pandas()
        table["total"] = table["price"] * 2
        return table[["id", "total"]]

    records, dead = ran(lambda s: s.map_values(hf.arrow(frame, returns=Priced)))
    assert [value["total"] for _, value in records] == [5.0, None, 8.0]
    series = hf.arrow(lambda batch: batch.to_pandas()["item"].str.len(), returns=int)
    records, more = ran(lambda s: s.map_values(series))
    assert [value for _, value in records] == [3, None, None]
    assert dead + more == []


class Polarised:
    """What Polars gives: something that offers itself as a stream of Arrow's."""

    def __init__(self, chunks):
        self._chunks = chunks

    def __arrow_c_stream__(self, requested_schema=None):
        return self._chunks.__arrow_c_stream__(requested_schema)


def test_polars():
    table = hf.arrow(lambda batch: Polarised(pa.table(doubled(batch))), returns=Priced)
    records, _ = ran(lambda s: s.map_values(table))
    assert [value["total"] for _, value in records] == [5.0, None, 8.0]
    series = hf.arrow(lambda batch: Polarised(pa.chunked_array([batch["item"].cast(pa.large_string())])), returns=str)
    records, _ = ran(lambda s: s.map_values(series))
    assert [value for _, value in records] == ["tea", None, None]


def test_numpy_dicts_and_categories():
    numpy = hf.arrow(lambda batch: {"id": batch["id"].to_numpy(), "total": pa.nulls(batch.num_rows)}, returns=Priced)
    records, _ = ran(lambda s: s.map_values(numpy))
    assert [value["id"] for _, value in records] == [1, 2, 3]
    category = hf.arrow(lambda batch: batch["item"].dictionary_encode(), returns=str)
    records, _ = ran(lambda s: s.map_values(category))
    assert [value for _, value in records] == ["tea", None, None]


def test_a_failure_costs_only_the_records_that_fail_alone():
    def strict(batch):
        if 7 in batch["id"].to_pylist():
            raise ValueError("seven")
        return batch["id"]

    records, [reason] = ran(lambda s: s.map_values(hf.arrow(strict, returns=int)), [{"id": n} for n in range(20)])
    assert [value for _, value in records] == [n for n in range(20) if n != 7]
    assert reason.startswith("strict (test_arrow.py:")
    assert "ValueError: seven [" in reason


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda b: b["id"], "the columns id, total were wanted, int64 came"),
        (lambda b: {"id": b["id"], "sum": b["id"]}, "the columns id, total were wanted, id, sum came"),
        (lambda b: {"id": b["item"]}, "result.id: int64 was wanted, string came"),
        (lambda b: {"total": b["price"]}, "result.id: a value was wanted, nothing came"),
        (lambda b: {"id": b["id"], "total": pa.array(["x"])}, "result.total: double was wanted, string came"),
        (lambda b: 5, "a batch(id, total) was wanted, int came"),
        (lambda b: doubled(b).slice(1), "1 row was wanted, 0 came; give one for each that you get"),
        (lambda b: {"id": b["id"], "total": pa.array([1.0, 2.0])}, "different numbers of rows: id has 1, total has 2"),
    ],
)
def test_what_was_wanted_and_what_came(given, said):
    _, [reason] = ran(lambda s: s.map_values(hf.arrow(given, returns=Priced)), THREE[:1])
    assert reason.startswith("<lambda> (test_arrow.py:")
    assert reason.endswith(said)


def test_numbers_are_converted_where_nothing_is_lost():
    whole = hf.arrow(lambda batch: pc.cast(batch["id"], pa.float64()), returns=int)
    records, _ = ran(lambda s: s.map_values(whole))
    assert [value for _, value in records] == [1, 2, 3]
    records, [reason] = ran(lambda s: s.map_values(hf.arrow(lambda batch: batch["price"], returns=int)))
    assert [value for _, value in records] == [None, 4]
    assert "result: int64 was wanted, double came: Float value 2.5" in reason


def test_times_need_a_zone():
    naive = hf.arrow(lambda b: pa.array([datetime(2026, 1, 1)] * b.num_rows), returns=datetime)
    _, [reason] = ran(lambda s: s.map_values(naive), THREE[:1])
    assert reason.endswith("result: timestamp[us, tz=UTC] was wanted, timestamp[us] came")


def test_lists_and_maps():
    lists = hf.arrow(lambda batch: pa.array([[i] * i for i in batch["id"].to_pylist()]), returns=list[int])
    records, _ = ran(lambda s: s.map_values(lists).flat_map_values(lambda items: items))
    assert [value for _, value in records] == [1, 2, 2, 3, 3, 3]
    maps = hf.arrow(
        lambda b: pa.array([{"a": i} for i in b["id"].to_pylist()], pa.map_(pa.string(), pa.int64())),
        returns=dict[str, int],
    )
    records, _ = ran(lambda s: s.map_values(maps))
    assert records[0][1] == {"a": 1}


def test_nested_values_come_with_the_usual_types():
    def look(keys, batch):
        assert keys.type == pa.string()
        assert batch.schema.field("lines").type == pa.list_(pa.struct([("item", pa.string())]))
        assert batch.schema.field("notes").type == pa.map_(pa.string(), pa.string())
        return pc.list_value_length(batch["lines"])

    declared = "lines ARRAY<STRUCT<item: STRING>>, notes MAP<STRING, STRING>"
    given = [{"lines": [{"item": "tea"}], "notes": {"a": "b"}}, {"lines": None, "notes": None}, None]
    records, dead = ran(lambda s: s.map_values(hf.arrow(look, returns=int)), given, declared)
    assert ([value for _, value in records], dead) == ([1, None, None], [])
