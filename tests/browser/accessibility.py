"""axe-core looks at a page as people with a screen reader, a keyboard or weak eyes meet it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).with_name("axe.min.js")


def violations(page: Page) -> list[str]:
    """Every rule that is broken, and where."""
    # The page's policy lets no script in; what the debugger evaluates is not the page's.
    page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
