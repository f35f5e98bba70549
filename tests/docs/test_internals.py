"""The pages on the inside name files and methods that are there."""

import re

import pytest

from tests.docs.pages import ROOT, name_of

KERNEL = ROOT / "kernel/src/main/java/io/holdfast/kernel"
PAGES = sorted((ROOT / "docs/internals").glob("*.md"))
FILE = re.compile(r"`([\w./-]+(?:\.(?:py|java|txt|lock|c)|/))`")
METHOD = re.compile(r"`([A-Z]\w+)\.(\w+)`")
OF_CLASS = re.compile(r"`(\w+)` of `([\w/]+\.java)`")
QUESTIONS = (
    "Where is the grace of a session decided?",
    "What fences a second instance?",
    "Where does a late record go?",
    "What happens when an epoch is found written?",
    "Who closes a window when no record comes?",
)


def is_there(name):
    """Python files are named from the root, Java files and packages from the kernel's package."""
    return any((base / name).exists() for base in (ROOT, KERNEL))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_that_a_page_names_exists(page):
    assert [name for name in FILE.findall(page.read_text()) if not is_there(name)] == []


def test_the_pages_name_many_files():
    assert sum(len(FILE.findall(page.read_text())) for page in PAGES) > 200


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_method_that_a_page_names_exists(page):
    text = page.read_text()
    named = [(f"**/{cls}.java", method) for cls, method in METHOD.findall(text)]
    named += [(file, method) for method, file in OF_CLASS.findall(text)]
    assert [each for each in named if not any(is_defined(each[1], path) for path in KERNEL.glob(each[0]))] == []


def is_defined(method, path):
    return re.search(rf"\b{method}\(", path.read_text())


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_overview_answers(question):
    """With a link to the section and the files."""
    overview = (ROOT / "docs/internals/architecture.md").read_text()
    assert re.search(rf"^\| {re.escape(question)} \| \[[^\]]+\]\([\w-]+\.md#[\w-]+\) \| `", overview, re.MULTILINE)
