"""Where joins of streams run, and what is said of them."""

from __future__ import annotations

from holdfast.plan.explain import explain
from tests.plan.programs import Program, field


def test_a_join_of_streams_is_where_both_have_their_key():
    p = Program()
    left, right = p.of(p.select_key(p.source("orders"))), p.of(p.source("payments"))
    made = p.made(left.join(right, field("x", "left"), within="5 ms", late="too-late"))
    p.count(made, "n")
    assert p.places()[made] == 0
    description = explain(p.topology)
    assert "stream_join-1: join with payments within 5 ms" in description
    assert "too-late (late records)" in description
    assert "select_key-1 --> stream_join-1: key changes at select_key-1" in description
