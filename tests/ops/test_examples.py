"""The data of examples: values, keys, deletes, text."""

import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli
from holdfast.errors import HoldfastError
from holdfast.ops import examples
from holdfast.ops.examples import Example


@pytest.fixture
def example(tmp_path):
    (tmp_path / "data").mkdir()
    return Example(tmp_path)


def write(example, name, text):
    (example.directory / "data" / name).write_text(text)


def test_values_rows_of_tables_deletes_and_text(example):
    write(example, "orders.json", '{"id": 1}\n\n{"id": 2}\n')
    write(example, "customers.json", '1|{"name": "A|B"}\n1|\n')
    write(example, "lines.txt", "one|two\n")
    write(example, "notes.md", "not data")
    assert [(r.topic, r.key, r.value) for r in example.records()] == [
        ("customers", b"1", b'{"name": "A|B"}'),
        ("customers", b"1", None),
        ("lines", None, b"one|two"),
        ("orders", None, b'{"id": 1}'),
        ("orders", None, b'{"id": 2}'),
    ]


def test_a_line_without_key_names_its_place(example):
    write(example, "customers.json", "1|{}\nwrong\n")
    with pytest.raises(HoldfastError, match=r"customers.json:2: wanted key\|value, got 'wrong'"):
        list(example.records())


def test_an_unknown_example_is_refused_with_those_there_are():
    with pytest.raises(HoldfastError, match=r"no example 'leaderbord'; did you mean 'leaderboard'.*balance"):
        examples.find("leaderbord")


def test_the_examples_can_be_listed():
    shown = CliRunner().invoke(cli, ["demo", "--list"]).output.splitlines()
    assert len(shown) == len(examples.known())
    assert "leaderboard  The three highest scores of every game, served over REST." in shown
