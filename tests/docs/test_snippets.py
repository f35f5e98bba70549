"""Every snippet runs: the Python blocks of a page one after the other, in one namespace."""

import json
import sys
import tomllib
from types import ModuleType

import pytest

from holdfast.settings import NAMES
from tests.docs.pages import PAGES, ROOT, WRITTEN, Block, blocks, name_of

WITH_PYTHON = [page for page in PAGES if blocks(page, "python")]
LANGUAGES = {"python", "sh", "console", "json", "toml", "text"}
RIGHTS = "token"  # of a file of rights
# What needs a broker cannot run here; whoever adds to these says so in the page.
NOT_RUN = {"docs/guides/dashboard.md": 1, "docs/guides/queries.md": 1, "docs/guides/running.md": 1}


@pytest.fixture
def namespace(monkeypatch, tmp_path):
    """A module, so that classes defined in a page find each other."""
    module = ModuleType("docs_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        monkeypatch.delenv(f"HOLDFAST_{name.upper()}", raising=False)
    return vars(module)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_the_python_of_a_page_runs(page, namespace):
    for block in blocks(page, "python"):
        code = compiled(block)
        if "no-run" not in block.marks:
            exec(code, namespace)


def compiled(block: Block):
    # Empty lines before it make errors name the line of the page.
    return compile("\n" * (block.line - 1) + block.text, str(block.page), "exec")


def test_few_snippets_are_not_run():
    marked = {name_of(page): sum("no-run" in block.marks for block in blocks(page)) for page in PAGES}
    assert {name: count for name, count in marked.items() if count} == NOT_RUN


def test_every_block_says_its_language():
    unknown = [block.at for page in PAGES for block in blocks(page) if block.language not in LANGUAGES]
    assert unknown == []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_json_and_toml_are_well_formed(page):
    for block in blocks(page, "json"):
        json.loads(block.text)
    for block in blocks(page, "toml"):
        assert set(tomllib.loads(block.text)) <= {*NAMES, RIGHTS}, block.at


def test_the_readme_has_the_leaderboard_as_it_is():
    example = (ROOT / "examples/leaderboard/leaderboard.py").read_text()
    (block,) = blocks(ROOT / "README.md", "python")
    assert block.text.strip() == example.partition('"""\n')[2].strip()


def test_the_tutorial_builds_the_leaderboard_as_it_is():
    """The lines of the example, in their order, are lines of the tutorial's blocks."""
    example = (ROOT / "examples/leaderboard/leaderboard.py").read_text().partition('"""\n')[2]
    built = blocks(ROOT / "docs/tutorial/leaderboard.md", "python")
    lines = iter(line for block in built for line in block.text.splitlines())
    assert [line for line in example.splitlines() if line and line not in lines] == []
