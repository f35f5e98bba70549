"""What all examples have in common: data, a demo, a test, a line in the docs."""

import ast
import re
from pathlib import Path

import click
import pytest

from holdfast.cli.main import cli
from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from tests.docs.test_commands import pipeline

ROOT = Path(__file__).parents[2]
NAMES = sorted(examples.known())
LONGEST = 70


@pytest.fixture(params=NAMES)
def example(request):
    return examples.find(request.param)


def test_it_is_called_like_its_directory_and_has_data_for_what_it_reads(example):
    app = load_app(example.app)
    assert app.name == example.directory.name
    read = {topic for node in app.topology.json()["nodes"] if node["op"] == "source" for topic in node["topics"]}
    assert {file.stem for file in example.files} == read


def test_it_says_what_it_shows_and_how_to_run_it(example):
    text = example.app.read_text()
    about = ast.get_docstring(ast.parse(text))
    assert about.splitlines()[0].endswith(".")
    assert example.directory.name == "leaderboard" or f"holdfast demo {example.directory.name}\n" in about
    assert len(text.splitlines()) <= LONGEST


def test_it_has_a_test_and_a_line_in_the_docs(example):
    name = example.directory.name
    assert (Path(__file__).parent / f"test_{name}.py").exists()
    assert f"](../../examples/{name}/{name}.py)" in (ROOT / "docs" / "tutorial" / "examples.md").read_text()


def test_its_topology_can_be_drawn_and_explained(example):
    app = load_app(example.app)
    assert app.describe()
    assert app.explain()
    assert app.topology.svg()


def test_what_it_says_to_try_can_be_tried(example):
    app = load_app(example.app)
    assert len(example.commands) > 1 or app.name == "leaderboard"
    for line in example.commands:
        for words in pipeline(line):
            known_command(words)
        for path in re.findall(r"curl localhost:7000(\S+)", line):
            assert any(re.fullmatch(re.sub(r"{\w+}", "[^/]+", route.path), path) for route in app.routes), line
    written = topics(app.topology.json()["nodes"]) | {f"{app.name}-dead-letters"}
    named = re.findall(r"holdfast topics (?:consume|produce) ([\w-]+)", "\n".join(example.commands))
    assert set(named) <= written


def known_command(words):
    command, rest = cli, words[1:]
    while isinstance(command, click.Group):
        command, rest = command.get_command(click.Context(command), rest[0]), rest[1:]
    command.make_parser(click.Context(command, **cli.context_settings)).parse_args(rest)


def test_no_two_examples_share_a_topic_so_that_all_demos_may_use_one_broker():
    users = {}
    for name in NAMES:
        for topic in topics(load_app(examples.find(name).app).topology.json()["nodes"]):
            users.setdefault(topic, []).append(name)
    assert {topic: names for topic, names in users.items() if len(names) > 1} == {}


def topics(nodes):
    read = {topic for node in nodes if node["op"] == "source" for topic in node["topics"]}
    late = {node["late"] for node in nodes if node.get("late")}
    return read | late | {node["topic"] for node in nodes if node["op"] == "to"}
