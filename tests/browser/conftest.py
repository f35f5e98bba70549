"""A Chromium, and pages of it in which nothing may go wrong unnoticed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.stores.publisher import Publisher
from tools.find_browser import NOWHERE, found

FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
SCREENS = Path(__file__).resolve().parents[2] / "docs/screens"
CHROMIUM = found()
expect.set_options(timeout=20_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a Chromium say so in one line; where everything must be tested that is a failure."""
    if CHROMIUM is not None:
        return
    if os.environ.get("CI") == "true":
        pytest.exit(NOWHERE, returncode=1)
    for item in items:
        item.add_marker(pytest.mark.skip(reason=NOWHERE))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, chromium_sandbox=False)
        yield chromium
        chromium.close()


class Complaints(list[str]):
    """What the console and the page have complained of; `expected` are parts of what a test provokes."""

    expected: tuple[str, ...] = ()

    def unexpected(self) -> list[str]:
        return [each for each in self if not any(part in each for part in self.expected)]


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """They are empty at the end of each test, and no other host was asked."""
    made = Complaints()
    yield made
    assert made.unexpected() == []


@pytest.fixture
def open_page(browser: Browser, complaints: Complaints) -> Iterator[Callable[..., Page]]:
    """Open the page of a server in a window of its own; what its console says is collected."""
    contexts = []

    def opened(
        url: str, *, width: int = 1280, height: int = 800, scheme: str = "light", wait: str = "#trouble"
    ) -> Page:
        context = browser.new_context(
            color_scheme=scheme,  # type: ignore[arg-type]
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(f"{error}"))
        page.on("request", lambda asked: complaints.append(asked.url) if not _is_own(asked.url, url) else None)
        page.goto(url)
        page.wait_for_selector(wait)
        return page

    yield opened
    for context in contexts:
        context.close()


def _is_own(asked: str, url: str) -> bool:
    return asked.startswith((url, "data:", "blob:"))


@pytest.fixture
def serve(broker, tmp_path) -> Iterator[Callable[[Publisher], Server]]:
    """A server of what a publisher has written, without an app that runs."""
    servers = []

    def started(publisher: Publisher, **options: object) -> Server:
        stores = Stores(publisher.name, broker.address, tmp_path / "state")
        servers.append(Server(None, stores, port=0, **options).start())  # type: ignore[arg-type]
        return servers[-1]

    yield started
    for server in servers:
        server.stop()
