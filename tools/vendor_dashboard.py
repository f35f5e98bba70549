"""Copy the dashboard's libraries from npm to where they are served, as tools/dashboard/package-lock.json pins them.

Run it after a change of tools/dashboard/package.json; users need no npm. `--check` only compares.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "tools/dashboard"
SERVED = ROOT / "holdfast/server/dashboard/static/vendor"
TESTED = ROOT / "tests/browser"
# package: its file, where it goes, its licence
FILES = (
    ("preact", "dist/preact.mjs", SERVED / "preact.js"),
    ("preact", "hooks/dist/hooks.mjs", SERVED / "hooks.js"),
    ("htm", "dist/htm.mjs", SERVED / "htm.js"),
    ("uplot", "dist/uPlot.esm.js", SERVED / "uplot.js"),
    ("uplot", "dist/uPlot.min.css", SERVED / "uplot.css"),
    ("axe-core", "axe.min.js", TESTED / "axe.min.js"),
)
# A browser finds modules by their place: an import map would have to stand in the page, which its policy forbids.
PLACES = {'from"preact"': 'from"./preact.js"'}


def main() -> int:
    """Fetch what is pinned, by its digest, and copy it."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(LOCK / name, work)
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=work, check=True)
        made = {target: _content(work / "node_modules" / package / path) for package, path, target in FILES}
        made[SERVED / "LICENSES.txt"] = _licences(work / "node_modules", ("preact", "htm", "uplot"))
        made[TESTED / "axe-LICENSE.txt"] = _licences(work / "node_modules", ("axe-core",))
    stale = [target for target, text in made.items() if not target.is_file() or target.read_text("utf-8") != text]
    if "--check" not in sys.argv:
        for target, text in made.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for target in stale:
        print(f"{'differs' if '--check' in sys.argv else 'written'}: {target.relative_to(ROOT)}")
    return int("--check" in sys.argv and bool(stale))


def _content(file: Path) -> str:
    text = file.read_text("utf-8")
    for given, place in PLACES.items():
        text = text.replace(given, place)
    kept = (line for line in text.splitlines() if not line.startswith("//# sourceMappingURL"))
    return "\n".join(kept) + "\n"


def _licences(modules: Path, packages: tuple[str, ...]) -> str:
    return "\n\n".join(f"{name}\n\n{_licence(modules / name)}" for name in packages) + "\n"


def _licence(package: Path) -> str:
    found = next((each for each in sorted(package.iterdir()) if each.name.upper().startswith("LICENSE")), None)
    return (
        found.read_text("utf-8").strip() if found else "Apache License 2.0: https://www.apache.org/licenses/LICENSE-2.0"
    )


if __name__ == "__main__":
    sys.exit(main())
