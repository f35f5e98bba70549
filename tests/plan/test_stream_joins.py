"""Where joins of streams run, and what is said of them."""

from __future__ import annotations

from holdfast.plan.explain import explain
from tests.plan.programs import Program


def test_a_join_of_streams_is_where_both_have_their_key():
    p = Program()
    left, right = p.select_key(p.source("orders")), p.source("payments")
    spans = dict(how="inner", before=5, after=5, grace=0, joiner=None, late="too-late")
    made = p.add("stream_join", left, right, store=p.store(None, "stream_join-1"), **spans)
    p.count(p.group_by_key(made), "n")
    assert p.places()[made] == 0
    told = explain(p.json())
    assert "stream_join-1: join with payments within 5 ms" in told
    assert "too-late (late records)" in told
    assert "select_key-1 --> stream_join-1: key changes at select_key-1" in told
