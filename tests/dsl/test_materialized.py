import pytest

import holdfast as hf
from holdfast.errors import NotAvailable, TopologyError


def test_options_are_values():
    assert hf.Materialized("a", emit="every") == hf.Materialized("a", emit="every")
    assert hf.Materialized("a") != hf.Materialized("a", memory=True)


@pytest.mark.parametrize("option", ["versioned", "ttl"])
def test_what_is_not_available_yet_says_so(option):
    with pytest.raises(NotAvailable, match=f"store 'a': {option}= is not available yet"):
        hf.Materialized("a", **{option: "1 hour"})


def test_wrong_options_are_refused():
    with pytest.raises(TopologyError, match="emit is 'final'"):
        hf.Materialized("a", emit="final")
    with pytest.raises(TopologyError, match="may have letters"):
        hf.Materialized("a/b")
