"""Every command that the docs name exists, with its options; the reference holds the real help."""

import os
import re
import shlex

import click
import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli
from tests.docs import reference
from tests.docs.pages import PAGES, REFERENCE, ROOT, WRITTEN, blocks, name_of, prose, text_of

UPDATE = "HOLDFAST_DOCS_UPDATE"
INLINE = re.compile(r"`(holdfast [^`]+)`")
COMMANDS = dict(reference.commands(cli, "holdfast"))


def mentioned(page):
    """Give (where, words) of every command line of `holdfast` in a page."""
    for block in blocks(page, "sh"):
        for number, line in enumerate(block.text.splitlines(), block.line):
            for words in pipeline(line):
                yield f"{name_of(page)}:{number}", words
    for number, line in prose(page):
        for text in INLINE.findall(line):
            yield f"{name_of(page)}:{number}", text.split()


def pipeline(line):
    """The commands of a shell line that begin with `holdfast`."""
    # Not posix: quotes stay for now, and tell a quoted bar from a pipe.
    lexer = shlex.shlex(line, posix=False, punctuation_chars=True)
    lexer.whitespace_split = True
    command: list[str] = []
    for word in [*lexer, "|"]:
        if word in ("|", "&&", ";", "<", ">"):
            if command[:1] == ["holdfast"]:
                yield command
            command = []
        else:
            command.append(word.strip("'"))


MENTIONED = [each for page in WRITTEN for each in mentioned(page)]


@pytest.mark.parametrize(("at", "words"), MENTIONED, ids=[f"{at} {' '.join(words)}" for at, words in MENTIONED])
def test_a_command_in_the_docs_exists(at, words):
    command, path, rest = cli, "holdfast", words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        # Prose may name a group and go on in words: `holdfast topics`.
        found = command.get_command(click.Context(command), rest[0])
        assert found is not None, f"{at}: {path} has no command {rest[0]!r}"
        command, path, rest = found, f"{path} {rest[0]}", rest[1:]
    context = click.Context(command, info_name=path, **cli.context_settings)
    command.make_parser(context).parse_args([word.strip("[]") for word in rest])


def test_the_page_of_commands_holds_the_real_help():
    same_or_updated("commands.md", reference.commands_page())


def test_the_page_of_the_api_holds_the_real_signatures():
    same_or_updated("api.md", reference.api_page())


def same_or_updated(name, wanted):
    page = REFERENCE / name
    if os.environ.get(UPDATE):
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(wanted)
    found = page.read_text() if page.exists() else ""
    assert found == wanted, f"docs/reference/{name} is old: run with {UPDATE}=1"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "holdfast"])
def test_every_command_is_in_a_chapter(name):
    assert name in text_of(WRITTEN)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name):
    text = text_of(PAGES)
    for parameter in COMMANDS[name].params:
        if isinstance(parameter, click.Option):
            assert any(option in text for option in parameter.opts), f"{name} {parameter.opts}"


CONSOLE = [block for page in WRITTEN for block in blocks(page, "console")]


@pytest.mark.parametrize("block", CONSOLE, ids=[block.at for block in CONSOLE])
def test_what_a_command_prints_is_what_the_page_shows(block, monkeypatch):
    monkeypatch.chdir(ROOT)
    command, _, shown = block.text.partition("\n")
    done = CliRunner().invoke(cli, shlex.split(command.removeprefix("$ holdfast ")))
    assert done.output.strip() == shown.strip()
