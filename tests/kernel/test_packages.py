"""The packages of the kernel: which of them know each other, and what Python knows of them by name."""

import graphlib
import re
from pathlib import Path

import pytest

from holdfast.spark import kernel

SOURCES = Path(__file__).parents[2] / "kernel" / "src" / "main" / "java"
IMPORT = re.compile(r"^import (?:static )?io\.holdfast\.kernel\.(\w+)\.", re.MULTILINE)
# A task is described by records, outputs and calls of Python, whose packages know tasks. No other may be added.
KNOWN_CYCLES = {("task", "source"), ("task", "sink"), ("task", "python")}


def test_packages_know_each_other_in_one_direction():
    packages = {
        package.name: {
            known
            for file in package.glob("*.java")
            for known in IMPORT.findall(file.read_text())
            if known != package.name and (package.name, known) not in KNOWN_CYCLES
        }
        for package in (SOURCES / "io" / "holdfast" / "kernel").iterdir()
        if package.is_dir()
    }
    assert "sink" in packages
    graphlib.TopologicalSorter(packages).prepare()


@pytest.mark.parametrize("name", [*kernel._KERNEL_ERRORS, kernel._FENCED])
def test_exceptions_that_python_knows_by_name_exist(name):
    assert (SOURCES / f"{name.replace('.', '/')}.java").is_file()
