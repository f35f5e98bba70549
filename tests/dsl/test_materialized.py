from datetime import timedelta

import pytest

import holdfast as hf
from holdfast.errors import DurationError, TopologyError


def test_options_are_values():
    assert hf.Materialized("a", emit="every") == hf.Materialized("a", emit="every")
    assert hf.Materialized("a") != hf.Materialized("a", emit="every")


def test_a_time_to_live_is_a_duration():
    assert hf.Materialized("a", ttl="1 hour") == hf.Materialized("a", ttl=timedelta(hours=1))
    assert hf.Materialized("a", ttl="90 seconds").ttl == 90_000
    with pytest.raises(DurationError, match="store 'a': ttl= must be a text"):
        hf.Materialized("a", ttl=5)
    with pytest.raises(TopologyError, match="store 'a': ttl= must be longer than nothing"):
        hf.Materialized("a", ttl="0 ms")


def test_wrong_options_are_refused():
    with pytest.raises(TopologyError, match="emit is 'final'"):
        hf.Materialized("a", emit="final")
    with pytest.raises(TopologyError, match="may have letters"):
        hf.Materialized("a/b")
