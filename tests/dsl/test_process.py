"""Processors while a program is read: types, names, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, TopologyError
from holdfast.plan.planner import plan
from holdfast.topology.processor_nodes import ProcessorGroup


@dataclass
class Total:
    n: int


totals = hf.StateStore("totals", key=str, value=Total)


class Totals(hf.Processor[str, str]):
    returns = Total
    children = {"texts": str, "pairs": (int, float)}
    totals = totals

    def process(self, record: hf.Record[str, str]) -> None: ...


class Reading(hf.Processor[str, str]):
    totals = totals

    def process(self, record: hf.Record[str, str]) -> None: ...


@pytest.fixture
def words(app):
    return app.stream("words", str, key=str)


def test_the_types_are_known(words):
    made = words.process(Totals)
    assert made.schema == "key: STRING\nvalue: STRUCT<n: BIGINT NOT NULL>"
    assert made.child("texts").schema == "key: STRING\nvalue: STRING"
    assert made.child("pairs").schema == "key: BIGINT\nvalue: DOUBLE"
    assert words.process(Reading).schema == "key: STRING\nvalue: STRING"


def test_nodes_have_the_names_of_the_classes(app, words):
    words.process(Totals)
    words.process(Reading)
    words.process(Reading)
    ids = [node["id"] for node in app.topology.json()["nodes"] if node["op"] == "process"]
    assert ids == ["Totals", "Reading", "Reading-2"]
    assert app.topology.stores["totals"].value_type.names[0] == "n"


def test_processors_that_share_a_store_are_one_node_of_the_plan(app, words):
    words.process(Totals).child("texts").process(Reading)
    words.filter(lambda word: word != "").process(Reading)
    [node] = [node.to_json() for node in plan(app.topology).nodes if isinstance(node, ProcessorGroup)]
    assert node["members"] == ["Totals", "Reading", "Reading-2"]
    assert node["inputs"] == ["words", "filter-1"]


def test_what_describe_and_explain_say(app, words):
    words.process(Totals).to("out")
    assert "Processor: Totals (Totals (test_process.py:28); store: totals)" in app.describe()
    description = app.explain()
    assert "totals: by Totals\n" in description
    assert "shop-totals-changelog (compacted)" in description
    assert "store:totals" not in app.topology.mermaid()


def test_an_unknown_child_is_refused(words):
    with pytest.raises(TopologyError, match="the processor has no child 'text'; did you mean 'texts'"):
        words.process(Totals).child("text")
    with pytest.raises(TopologyError, match="no child 'any'; children are declared in the class"):
        words.process(Reading).child("any")


def test_something_else_than_a_processor_is_refused(words):
    with pytest.raises(
        HoldfastError, match=r"process: .* is neither a function of hf.stateful nor a class of processors"
    ):
        words.process(lambda record: record)
    with pytest.raises(
        HoldfastError, match=r"process: .* is neither a function of hf.stateful nor a class of processors"
    ):
        words.process(Total)


def test_a_class_without_process_is_refused(words):
    class Nothing(hf.Processor[str, str]):
        pass

    with pytest.raises(TopologyError, match=r"Nothing has no process\(self, record\)"):
        words.process(Nothing)


def test_a_generator_is_refused(words):
    class Yielding(hf.Processor[str, str]):
        def process(self, record):
            yield record

    with pytest.raises(TopologyError, match=r"a plain method was wanted that calls self.context.forward\(record\)"):
        words.process(Yielding)


def test_a_store_of_two_types_is_refused(words):
    class Other(hf.Processor[str, str]):
        kept = hf.StateStore("totals", key=str, value=int)

        def process(self, record): ...

    words.process(Totals)
    with pytest.raises(TopologyError, match="store 'totals' has value record.* at .*, here int; processors that share"):
        words.process(Other)


def test_a_store_of_a_table_is_refused(words):
    words.group_by_key().count(store="totals")
    with pytest.raises(TopologyError, match="store 'totals' already belongs to count at"):
        words.process(Totals)


def test_a_store_without_a_type_is_refused(words):
    class Odd(hf.Processor[str, str]):
        kept = hf.StateStore("kept", key=str, value=object)

        def process(self, record): ...

    with pytest.raises(HoldfastError, match="store 'kept': value: object is not a type"):
        words.process(Odd)


def test_a_map_as_key_is_refused(words):
    class Odd(hf.Processor[str, str]):
        kept = hf.StateStore("kept", key=dict[str, int], value=int)

        def process(self, record): ...

    with pytest.raises(TopologyError, match="store 'kept': a map cannot be a key"):
        words.process(Odd)


def test_store_names_the_one_store_without_a_name(words):
    with pytest.raises(TopologyError, match="store= names the one store of Totals that has no name; it has none such"):
        words.process(Totals, store="other")


def test_options_of_tables_are_refused(words):
    class Last(hf.Processor[str, str]):
        last = hf.StateStore(key=str, value=str)

        def process(self, record): ...

    with pytest.raises(TopologyError, match="store 'last': ttl= is for tables; processors delete entries"):
        words.process(Last, store=hf.Materialized("last", ttl="1 hour"))


@pytest.mark.parametrize("children", ["low", 5, {"a": (1, 2, 3)}, ["a b"]])
def test_children_that_are_none_are_refused(words, children):
    odd = type("Odd", (Reading,), {"children": children})
    with pytest.raises(HoldfastError, match=r"Odd.children|child 'a b'"):
        words.process(odd)


def test_what_runs_between_processors_that_share_a_store_is_refused(words):
    totals = words.process(Totals)
    message = "it shares a store with Totals .*, which comes before it with other operations"
    with pytest.raises(TopologyError, match=message):
        totals.child("texts").filter(lambda text: text != "").process(Reading)


def test_a_change_of_key_between_them_is_refused(words):
    class Rekeying(hf.Processor[str, str]):
        returns = (str, str)
        totals = totals

        def process(self, record): ...

    with pytest.raises(TopologyError, match="or a change of key, between them"):
        words.process(Rekeying).process(Reading)


def test_a_store_is_used_by_a_processor_that_runs():
    with pytest.raises(RuntimeError, match="the store 'totals' is read and written by a processor that runs"):
        totals.get("a")
