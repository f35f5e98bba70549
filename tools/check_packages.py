"""Check with jdeps that the kernel's packages use each other in the direction that kernel/packages.txt allows."""

import re
import subprocess
import sys
from pathlib import Path

from holdfast.spark.java import find_javac

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "holdfast" / "kernel" / "holdfast-kernel.jar"
ORDER = ROOT / "kernel" / "packages.txt"
BASE = "io.holdfast.kernel"
USE = re.compile(rf"^ +{re.escape(BASE)}(\S*) +-> {re.escape(BASE)}(\S*) ", re.MULTILINE)

Uses = set[tuple[str, str]]


def levels(text: str) -> dict[str, int]:
    """Give each package its level: those of a line have the same, and higher lines may be used by lower ones."""
    lines = [line.split("#")[0].split() for line in text.splitlines()]
    return {package: level for level, packages in enumerate(filter(None, lines)) for package in packages}


def uses(jar: Path) -> Uses:
    """Give the pairs of packages of a jar of which the first uses the second; "." is the package above all others."""
    command = [str(find_javac().with_name("jdeps")), "-verbose:package", "-filter:none", str(jar)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {(short(using), short(used)) for using, used in USE.findall(found) if using != used}


def short(package: str) -> str:
    """Give the name of a package as kernel/packages.txt has it."""
    return package.removeprefix(".") or "."


def problems(allowed: dict[str, int], found: Uses) -> list[str]:
    """Say which packages have no level, and which uses go upwards or sideways."""
    unknown = sorted({package for pair in found for package in pair} - allowed.keys())
    placed = [pair for pair in sorted(found) if allowed.keys() >= set(pair)]
    wrong = [(using, used) for using, used in placed if allowed[using] <= allowed[used]]
    return [
        *(f"the package {package} has no place in kernel/packages.txt" for package in unknown),
        *(f"the package {using} uses {used}, which is not above it in kernel/packages.txt" for using, used in wrong),
    ]


if __name__ == "__main__":
    found_problems = problems(levels(ORDER.read_text()), uses(KERNEL))
    print("\n".join(found_problems) or "the kernel's packages use each other in one direction")
    sys.exit(bool(found_problems))
