"""Names of headers and topics that Holdfast has for itself: the kernel and Python have the same, each in one place."""

import re
from pathlib import Path

import pytest

from holdfast.topics import header_names, own_topics

ROOT = Path(__file__).parents[2]
JAVA = ROOT / "kernel" / "src" / "main" / "java" / "io" / "holdfast" / "kernel"
HEADER = re.compile(r'["\'](hf-[a-z-]+)["\']')
TOPIC = re.compile(
    r'-(?:meta|markers|epochs|dead-letters|replay|changelog)["\']|-(?:meta|markers|epochs|dead-letters) \('
)
OF_PICTURES = {"hf-arrow", "hf-arrow-exchange"}


def constants_of(module):
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)}


@pytest.mark.parametrize(("module", "java"), [(header_names, "HeaderNames"), (own_topics, "OwnTopics")])
def test_the_kernel_has_the_same(module, java):
    text = (JAVA / "records" / f"{java}.java").read_text()
    assert constants_of(module) == dict(re.findall(r'static final String (\w+) = "([^"]+)";', text))


def code():
    yield from (ROOT / "holdfast").rglob("*.py")
    yield from JAVA.rglob("*.java")


@pytest.mark.parametrize(
    ("spelled", "known"),
    [(HEADER, {"header_names.py", "HeaderNames.java"}), (TOPIC, {"own_topics.py", "OwnTopics.java"})],
)
def test_nobody_else_spells_them(spelled, known):
    files = [each for each in code() if each.name not in known]
    assert len(files) > 500
    found = {str(each.relative_to(ROOT)): set(spelled.findall(each.read_text())) - OF_PICTURES for each in files}
    assert {file: names for file, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("topic", "own"),
    [
        ("shop-meta", True), ("shop-dead-letters", True), ("shop-replay", True), ("shop-sales-changelog", True),
        ("shop-orders", False), ("bank-dead-letters", False), ("bank-shop-dead-letters", False), ("shop", False),
        ("meta", False), ("changelog", False),
    ],
)  # fmt: skip
def test_what_is_an_apps_own(topic, own):
    assert own_topics.is_own("shop", topic) is own
