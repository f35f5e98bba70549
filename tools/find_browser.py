"""Find a Chromium for tests/browser, or get one: Playwright's own, else Debian's package where that may be installed.

Without one everything else works; the tests of the page say that they were not run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NOWHERE = "no Chromium is here, and none could be installed: the tests of the dashboard are not run"
_SECONDS = 300


def found() -> str | None:
    """The Chromium of this machine: that of the variable, one on the path, Playwright's."""
    named = os.environ.get("HOLDFAST_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None) or _playwrights()


def _playwrights() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if path and Path(path).is_file() else None


def main() -> None:
    """Say where it is."""
    attempts = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        # On a machine that is new the lists of packages are missing, or too old to find what they name.
        attempts.append(["sh", "-c", "apt-get update -q; apt-get install -y -q --no-install-recommends chromium"])
    path = found()
    while path is None and attempts:
        _try(attempts.pop(0))
        path = found()
    print(path or NOWHERE)


def _try(command: list[str]) -> None:
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)} took too long", file=sys.stderr)


if __name__ == "__main__":
    main()
