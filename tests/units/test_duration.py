from datetime import timedelta

import pytest

from holdfast.errors import DurationError
from holdfast.units.duration import in_words, milliseconds


@pytest.mark.parametrize(
    ("given", "length"),
    [
        ("250 ms", 250),
        ("250ms", 250),
        ("1 second", 1_000),
        ("5 minutes", 300_000),
        ("1.5 hours", 5_400_000),
        ("1 hour 30 minutes", 5_400_000),
        ("2 Days", 172_800_000),
        ("1 week", 604_800_000),
        ("0 ms", 0),
        ("0.1 s", 100),
        (timedelta(seconds=2), 2_000),
    ],
)
def test_durations(given, length):
    assert milliseconds(given) == length


@pytest.mark.parametrize(
    "given", [5, 5.0, None, "5", "five minutes", "5 fortnights", "", "-5 ms", "0.5 ms", timedelta(-1)]
)
def test_what_is_no_duration_is_refused(given):
    with pytest.raises(DurationError):
        milliseconds(given)


def test_the_message_says_what_was_wanted():
    with pytest.raises(DurationError, match="within must be a text .* not 5: say the unit"):
        milliseconds(5, "within")


@pytest.mark.parametrize(
    ("length", "words"),
    [(0, "0 ms"), (1, "1 ms"), (1000, "1 second"), (90_000, "90 seconds"), (172_800_000, "2 days"), (1001, "1001 ms")],
)
def test_in_words(length, words):
    assert in_words(length) == words


@pytest.mark.parametrize("text", ["3652501 days", "9" * 400 + " days", timedelta.max])
def test_more_than_ten_thousand_years_are_refused(text):
    with pytest.raises(DurationError, match="x must be at most 10,000 years"):
        milliseconds(text, "x")
    assert milliseconds("3652500 days") == 3_652_500 * 86_400_000
