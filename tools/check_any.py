"""`Any` hides mistakes from mypy: there is little of it, each with its reason, and it does not grow."""

from __future__ import annotations

import sys
import tokenize
from pathlib import Path

MOST = 170
PACKAGE = Path(__file__).parents[1] / "holdfast"


def count(path: Path) -> int:
    """How often a file says `Any`, comments and texts left out."""
    with tokenize.open(path) as file:
        return sum(
            each.type == tokenize.NAME and each.string == "Any" for each in tokenize.generate_tokens(file.readline)
        )


def main() -> int:
    """Status 1 if there is more than there may be."""
    found = {path: count(path) for path in sorted(PACKAGE.rglob("*.py*")) if path.suffix in (".py", ".pyi")}
    total = sum(found.values())
    if total <= MOST:
        print(f"Any stands in {total} places, {MOST} are allowed")
        return 0
    print(f"Any stands in {total} places, {MOST} are allowed: say object, a TypeVar or a Protocol", file=sys.stderr)
    for path, times in sorted(found.items(), key=lambda each: -each[1])[:20]:
        print(f"{times:4} {path.relative_to(PACKAGE.parent)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
