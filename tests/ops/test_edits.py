"""Edits of dead letters leave alone what they do not change."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from holdfast.ops import edits
from holdfast.topics.letters import Letter, NodeInput

VALUE = b'{"price":12345678901234567890.123456789012345678,"id":123456789012345678901,"rate":1.50,"n":-1}'


@dataclass
class Row:
    n: int
    price: Decimal


def edited(tmp_path: Path, body: str, value: bytes = VALUE) -> bytes | None:
    file = tmp_path / "fix.py"
    file.write_text(f"from tests.ops.test_edits import *\ndef f(letter):\n    order = letter.json()\n    {body}\n")
    letter = Letter("0/0", "orders", 0, 0, "require-1", "", "negative", 0, 0, None, value, ())
    made = edits.from_function(f"{file}:f")(letter, NodeInput(None, value))
    return made and made.value


def test_numbers_that_are_left_alone_keep_their_digits(tmp_path: Path) -> None:
    assert edited(tmp_path, "return {**order, 'n': abs(order['n'])}") == VALUE.replace(b"-1", b"1")


def test_numbers_can_be_calculated_with(tmp_path: Path) -> None:
    assert edited(tmp_path, "return [order['rate'] * 2, order['id'] + 1]") == b"[3.0,123456789012345678902]"


def test_decimals_and_dataclasses_can_be_given(tmp_path: Path) -> None:
    given = edited(tmp_path, "return Row(1, Decimal('12345678901234567890.10'))")
    assert given == b'{"n":1,"price":12345678901234567890.10}'


def test_what_has_no_json_is_told_with_the_letter(tmp_path: Path) -> None:
    with pytest.raises(edits.EditError, match="fix.py:f failed on letter 0/0: TypeError: Type is not JSON"):
        edited(tmp_path, "return {'x': object()}")


def test_lines_of_a_file_keep_their_digits(tmp_path: Path) -> None:
    file = tmp_path / "letters.jsonl"
    file.write_bytes(b'{"id":"0/0","key":null,"value":' + VALUE + b"}\n")
    named, edit = edits.from_file(file, at_source=False)
    letter = Letter("0/0", "orders", 0, 0, "require-1", "", "negative", 0, 0, None, b"", ())
    assert named == {"0/0"}
    assert edit(letter, NodeInput(None, b"")) == NodeInput(None, VALUE)
