"""Links lead somewhere, and the pages say nothing that only this machine knows."""

import re

import pytest

from tests.docs.pages import PAGES, ROOT, WRITTEN, name_of, prose

LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)")
# Links to other sites are few; each is chosen.
SITES = ("https://keepachangelog.com/", "https://semver.org/")
PATHS = re.compile(r"/(work|root|home|tmp|Users)/")
SELLING = re.compile(r"\b(seamless|blazing|effortless|powerful|robust|cutting-edge|unleash|delve|leverage)", re.I)


def anchors(page):
    headings = (HEADING.match(line) for _, line in prose(page))
    return {re.sub(r"[^\w\- ]", "", found[1].lower()).replace(" ", "-") for found in headings if found}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for number, line in prose(page):
        for target in LINK.findall(line):
            if "://" in target:
                assert target.startswith(SITES), f"{name_of(page)}:{number} {target}"
                continue
            file, _, anchor = target.partition("#")
            there = (page.parent / file).resolve() if file else page
            assert there.exists(), f"{name_of(page)}:{number} {target}"
            assert not anchor or anchor in anchors(there), f"{name_of(page)}:{number} {target}"


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_every_page_can_be_reached_from_the_readme(page):
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        here = todo.pop()
        if here not in seen and here.suffix == ".md":
            seen.add(here)
            links = [t for _, line in prose(here) for t in LINK.findall(line) if "://" not in t]
            todo += [(here.parent / link.partition("#")[0]).resolve() for link in links]
    assert page in seen


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_plain_words(page):
    text = page.read_text()
    assert "\N{EM DASH}" not in text
    assert not SELLING.search(text)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_nothing_of_the_machine_it_was_written_on(page):
    text = page.read_text()
    assert not PATHS.search(text)
    hosts = re.findall(r"https?://([\w.-]+)", text)
    assert set(hosts) <= {"localhost", "127.0.0.1", "keepachangelog.com", "semver.org"}
