"""Session tokens as text, and what they want to see."""

import pytest

from holdfast.stores.changelog import Partition
from holdfast.stores.epoch_position import EpochPosition, timeline_of
from holdfast.stores.session_token import SessionToken, token_of

HERE = EpochPosition(118, "9d3c2a8e51b7", {Partition("clicks", 0): 42, Partition("clicks", 1): 7})


@pytest.mark.parametrize("text", ["", "9d3c2a8e51b7.118", "~clicks:0:41", "9d3c2a8e51b7.0~a.b_c-d:0:1~a.b_c-d:12:0"])
def test_a_token_is_its_text(text):
    assert str(SessionToken.read(text)) == text


@pytest.mark.parametrize(
    "text", ["118", "x.118", "9d.", ".118", "9d.118 ", "~clicks:0", "~:0:1", "~a b:0:1", "9d.118~", "~clicks:0:-1"]
)
def test_other_text_is_none(text):
    with pytest.raises(ValueError, match="is no session token"):
        SessionToken.read(text)


def test_more_partitions_than_anybody_writes():
    with pytest.raises(ValueError, match="at most 1000"):
        SessionToken.read("".join(f"~t:{n}:0" for n in range(1001)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", True),
        ("9d3c2a8e51b7.118", True),
        ("9d3c2a8e51b7.119", False),
        ("9d3c2a8e51b8.1", False),
        ("~clicks:0:41", True),
        ("~clicks:0:42", False),
        ("~clicks:0:41~clicks:1:7", False),
        ("~orders:0:0", False),
        ("9d3c2a8e51b7.119~clicks:0:0", False),
    ],
)
def test_an_epoch_shows_what_was_seen_and_written(text, shown):
    assert SessionToken.read(text).is_shown_by(HERE) is shown


def test_what_was_written_is_wanted_until_it_is_shown():
    token = SessionToken.read("~clicks:0:5").with_writes([(Partition("clicks", 0), 9), (Partition("clicks", 1), 1)])
    assert str(token) == "~clicks:0:9~clicks:1:1"
    assert str(token.without_writes({Partition("clicks", 0): 9})) == "~clicks:1:1"
    assert str(token.without_writes({Partition("clicks", 0): 8})) == str(token)


def test_the_later_of_two():
    older, newer = SessionToken.read("9d.5~a:0:1"), SessionToken.read("9d.7~a:0:3~b:0:1")
    assert str(older.later(newer)) == str(newer.later(older)) == "9d.7~a:0:3~b:0:1"
    assert str(newer.later(SessionToken.read("ee.0"))) == "ee.0~a:0:3~b:0:1"
    assert str(newer.later(SessionToken())) == str(newer)


def test_an_app_that_has_no_epoch_yet_gives_no_token():
    assert token_of(HERE) == "9d3c2a8e51b7.118"
    assert token_of(EpochPosition(-1, "9d3c2a8e51b7")) is None
    assert token_of(EpochPosition(3)) is None
    assert token_of(None) is None
    assert timeline_of("9d3c2a8e-51b7-4f0e-8c55-0d3a2f6b7c11") == "9d3c2a8e51b7"
