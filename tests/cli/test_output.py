"""What comes from records is shown to people such that their terminal does nothing but show it."""

import io
import json
import logging
import sys

import pytest

from holdfast.cli import query, screen, topics
from holdfast.cli.log_lines import LogFormatter
from holdfast.cli.output import as_json, readable
from holdfast.topics.records import Record
from holdfast.units.time import as_text, moment

EVIL = "a\x1b[2J\x07\r\n\x7f\x9b31m\u202e\u2066\u200f\u2028z"
SHOWN = "a\\x1b[2J\\x07\\r\\n\\x7f\\x9b31m\\u202e\\u2066\\u200f\\u2028z"


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), 0xD800])
def test_every_control_character_is_escaped(code):
    assert readable(f"a{chr(code)}b").isascii()


def test_other_text_stays():
    text = "Grüße, 東京, עברית, 👩‍💻 [bold] \\x1b"
    assert readable(text) == text
    assert readable(f"{text}\n\t", lines=True) == f"{text}\n\\t"


def test_query(capsys):
    query._entries([{"key": EVIL, "value": {EVIL: EVIL, "list": [EVIL]}}], more=False, machine=False)
    query._value(EVIL, machine=False)
    query._value({"a": EVIL}, machine=False)
    shown = capsys.readouterr().out
    assert not set(EVIL) & set(shown) - set("a[2J31mz\n")
    assert SHOWN in shown.replace("\n", "")


def test_consume_shows_a_terminal_what_it_does_not_obey(monkeypatch, capsysbinary):
    record = Record("t", EVIL.encode(), b"\xff" + EVIL.encode())
    topics.as_line("|")(record)
    assert capsysbinary.readouterr().out == EVIL.encode() + b"|\xff" + EVIL.encode() + b"\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    topics.as_line("|")(record)
    assert capsysbinary.readouterr().out.decode() == f"{SHOWN}|\\xff{SHOWN}\n"


def test_messages_and_warnings(monkeypatch):
    shown = io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    screen.Screen(screen.Stop(), machine=False).say(f"[/dim] [x] {EVIL}")
    assert f"[/dim] [x] {SHOWN}".replace("\\n", "\n") in shown.getvalue()


def test_json_has_no_control_characters_either_and_says_the_same(capsys, monkeypatch):
    as_json({EVIL: [EVIL]})
    topics.as_object(Record("t", EVIL.encode(), EVIL.encode()))
    query._value({"a": EVIL}, machine=True)
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    screen.Screen(screen.Stop(), machine=True).say(EVIL)
    lines = capsys.readouterr().out.removesuffix("\n").split("\n")
    assert all(line.isprintable() for line in lines)
    said = [json.loads(line) for line in lines]
    assert (said[0], said[1]["value"], said[2], said[3]["message"]) == ({EVIL: [EVIL]}, EVIL, {"a": EVIL}, EVIL)


def test_the_log_of_a_server():
    record = logging.LogRecord("holdfast.server", logging.ERROR, "", 0, "GET /%s failed", (EVIL,), None)
    assert LogFormatter().format(record).endswith(f"Z ERROR holdfast.server: GET /{SHOWN} failed".replace("\\n", "\n"))


def test_times_outside_of_the_calendar():
    assert [as_text(time) for time in (0, 253402300800000, -62135596800001, 2**63 - 1)] == [
        "1970-01-01 00:00:00.000Z", "253402300800000 ms", "-62135596800001 ms", f"{2**63 - 1} ms",
    ]  # fmt: skip
    assert [moment(time).year for time in (-(2**63), 2**63 - 1)] == [1, 9999]
