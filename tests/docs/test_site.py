"""`make docs` builds a site whose links hold, that loads nothing from elsewhere, and whose search finds."""

import functools
import http.server
import shutil
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.docs.site_pages import SitePage, dead_links
from tools import build_site

SITE = build_site.ROOT / "site"

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]


@pytest.fixture(scope="module")
def pages() -> dict[Path, SitePage]:
    build_site.stage()
    assert build_site.build() == 0
    return {file.resolve(): SitePage(file) for file in SITE.rglob("*.html") if file.name != "404.html"}


def test_every_page_is_in_the_site(pages):
    staged = {page.relative_to(build_site.STAGED).with_suffix("") for page in build_site.STAGED.rglob("*.md")}
    assert staged == {file.relative_to(SITE.resolve()).with_suffix("") for file in pages}
    assert len(staged) > 30


def test_every_page_but_the_programs_of_the_examples_is_in_the_navigation(pages):
    listed = set(build_site.navigation())
    staged = {page.relative_to(build_site.STAGED).as_posix() for page in build_site.STAGED.rglob("*.md")}
    shown = {page for page in staged if not page.startswith(build_site.PROGRAMS)}
    assert shown - listed == set(), "add the page to `nav` in zensical.toml"
    assert listed - shown == set(), "`nav` in zensical.toml names a page that is not there"


def test_links_and_anchors_lead_somewhere(pages):
    assert dead_links(pages) == []


def test_a_dead_link_and_a_dead_anchor_are_found(tmp_path):
    names = {
        "here.html": '<a href="there.html#no">x</a><a href="gone.html">x</a><img src="gone.svg">',
        "there.html": "<p id='yes'>",
    }
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    found = {(tmp_path / name).resolve(): SitePage(tmp_path / name) for name in names}
    assert dead_links(found) == ["here.html: there.html#no", "here.html: gone.html", "here.html: gone.svg"]


def test_the_strict_build_refuses_a_page_with_a_dead_link(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("[x](gone.md)\n")
    monkeypatch.setattr(build_site, "ROOT", tmp_path)
    with pytest.raises(build_site.DeadLink, match=r"page.md:1: gone.md is not there"):
        build_site.relinked(page, set())


def test_nothing_is_loaded_from_another_host(pages):
    loaded = [(page.file.name, urlsplit(load).netloc) for page in pages.values() for load in page.loads]
    assert [each for each in loaded if each[1]] == []
    styles = [file for file in SITE.rglob("*.css") if "@import" in file.read_text() or "url(http" in file.read_text()]
    assert styles == []


def test_every_picture_says_what_it_shows(pages):
    silent = [(page.file.name, each["src"]) for page in pages.values() for each in page.pictures if not each.get("alt")]
    assert silent == []


@pytest.fixture(scope="module")
def address(pages):
    handler = functools.partial(Quiet, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def browser_page():
    """A page of a real Chromium; what it asks for is noted."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, chromium_sandbox=False)
        yield browser.new_page(color_scheme="light")
        browser.close()


def test_search_finds_in_a_browser_and_no_other_host_is_asked(address, browser_page):
    asked: list[str] = []
    browser_page.on("request", lambda request: asked.append(request.url))
    browser_page.goto(f"{address}/index.html")
    browser_page.keyboard.press("/")
    browser_page.get_by_role("combobox", name="Search").fill("tumbling")
    browser_page.get_by_role("option").first.click()
    browser_page.wait_for_url(f"{address}/*/*.html*")
    assert "tumbling" in browser_page.get_by_role("main").inner_text()
    assert {urlsplit(url).netloc for url in asked if not url.startswith(("data:", "blob:"))} == {
        urlsplit(address).netloc
    }


def test_the_switch_makes_the_page_dark_and_it_stays_so(address, browser_page):
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    browser_page.goto(f"{address}/index.html")
    assert browser_page.evaluate(scheme) == "default"
    browser_page.get_by_title("Switch to dark mode").click()
    assert browser_page.evaluate(scheme) == "slate"
    browser_page.goto(f"{address}/guides/joins.html")
    assert browser_page.evaluate(scheme) == "slate"
