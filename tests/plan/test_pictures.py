"""Words and pictures for things a name or an expression may contain."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from holdfast import functions as F
from holdfast.plan.explain import explain
from holdfast.topology.describe import describe
from holdfast.topology.picture import mermaid, svg
from holdfast.topology.wording import wording
from tests.plan.programs import Program, field, leaderboard

A, B, A_B = ({"slot": "value", "path": path} for path in (["a"], ["b"], ["a", "b"]))


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (A_B, "value.a.b"),
        ({"lit": "x"}, '"x"'),
        (
            {"call": "and", "args": [{"call": ">", "args": [A, {"lit": 1}]}, B]},
            "(value.a > 1) and value.b",
        ),
        ({"call": "not", "args": [A]}, "not value.a"),
        ({"call": "-", "args": [A]}, "-value.a"),
        ({"call": "count", "args": [{"star": True}]}, "count(*)"),
        ({"call": "sum", "args": [A], "distinct": True}, "sum(distinct value.a)"),
        ({"cast": A, "to": "long"}, "cast(value.a as long)"),
        ({"cast": A, "to": {"ddl": "INT"}}, "cast(value.a as INT)"),
        ({"case": [[A, {"lit": 1}]], "else": {"lit": 2}}, "case when value.a then 1 else 2 end"),
        ({"struct": [["n", A]]}, "{n: value.a}"),
        ({"array": [{"lit": 1}, {"lit": None}]}, "[1, null]"),
        ({"get": A, "key": {"lit": 0}}, "value.a[0]"),
        ({"lambda": ["x"], "body": {"var": "x"}}, "x -> x"),
        ({"meta": "timestamp"}, "timestamp()"),
        ({"sql": "value.a + 1"}, "value.a + 1"),
    ],
)
def test_wording(expr, text):
    assert wording(expr) == text


def test_long_expressions_are_cut():
    assert wording({"lit": "x" * 100}, 10) == '"xxxxxxxx…'


def awkward():
    p = Program("awkward")
    orders = p.of(p.source("orders"))
    orders.filter(F.expr("value.n < 3 && value.t = '<b>'")).to(field("topic"))
    p.made(orders.print('"x" <y>'))
    p.made(p.app.source(lambda spark: None))
    return p.topology


def test_names_are_escaped_in_a_picture():
    texts = [t.text for t in ET.fromstring(svg(awkward())).iter("{http://www.w3.org/2000/svg}text")]
    assert "value.n < 3 && value.t = '<b>'" in texts
    assert '"x" <y>' in texts


def test_names_are_escaped_in_a_flowchart():
    assert "value.n #lt; 3 #amp;#amp; value.t = '#lt;b#gt;'" in mermaid(awkward())
    assert "#quot;x#quot; #lt;y#gt;" in mermaid(awkward())


def test_a_picture_needs_no_stages():
    assert "stage 0" not in svg(leaderboard().topology)
    assert "stage 0" in svg(leaderboard().plan())


def test_an_empty_program_has_a_picture():
    assert ET.fromstring(svg(Program().topology)) is not None
    assert ET.fromstring(svg(Program().plan())) is not None


def test_a_topic_chosen_per_record_and_a_dataframe_are_described():
    text = describe(awkward())
    assert "(topic: topic of value.topic)" in text
    assert "Source: dataframe-1 (a Spark DataFrame)" in text
    assert "dataframe-1, a Spark DataFrame" in explain(awkward())


def test_unconnected_parts_are_sub_topologies():
    p = Program()
    p.to(p.merge(p.source("a"), p.source("b")), "out")
    p.to(p.source("c"), "other")
    text = describe(p.topology)
    assert "Sub-topology: 1\n    Source: c" in text
    assert "Sub-topology: 2" not in text


def test_a_repartition_that_moves_nothing_is_told():
    p = Program()
    p.to(p.repartition(p.source("a")), "out")
    assert "repartition-1 (shop.py:11) moves nothing" in explain(p.topology)


def test_why_records_travel():
    p = Program()
    late = p.count_by(p.add("to_stream", p.count_by(p.source("a"), "first")), "late")
    early = p.add("to_stream", "count:first")
    p.join(early, late)
    p.merge(early, p.add("to_stream", late))
    p.count(p.repartition(early))
    text = explain(p.topology)
    assert "to_stream-2 --> join-1: count:late lives in stage 1" in text
    assert "to_stream-2 --> merge-1: merge-1 runs where its last input is, stage 1" in text
    assert "to_stream-2 --> repartition-1: asked for by repartition-1 (" in text
