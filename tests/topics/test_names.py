import pytest

from holdfast.errors import TopologyError
from holdfast.names import check_name, did_you_mean


def test_the_nearest_name():
    assert did_you_mean("plyer", ["player", "score"]) == "; did you mean 'player'?"
    assert did_you_mean("PLAYER", ["player"]) == "; did you mean 'player'?"


def test_all_names_when_none_is_near_and_they_are_few():
    assert did_you_mean("xyz", ["player", "score"]) == "; there is player, score"
    assert did_you_mean("xyz", [f"field{n}" for n in range(13)]) == ""
    assert did_you_mean("xyz", []) == ""


def test_legal_names():
    assert check_name("topic", "a.b_c-9", TopologyError) == "a.b_c-9"
    for wrong in ("", "a/b", "ä", ".", "..", "x" * 250, None):
        with pytest.raises(TopologyError, match="topic"):
            check_name("topic", wrong, TopologyError)
