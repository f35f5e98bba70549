"""The packages of the kernel: which of them use each other, and what Python knows of them by name."""

import importlib.util
from pathlib import Path

import pytest

from holdfast.spark import kernel

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "kernel" / "src" / "main" / "java"
SPEC = importlib.util.spec_from_file_location("check_packages", ROOT / "tools" / "check_packages.py")
assert SPEC is not None
assert SPEC.loader is not None
packages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(packages)


def test_packages_use_each_other_in_one_direction():
    found = packages.uses(packages.KERNEL)
    assert ("sink", "source") in found
    assert packages.problems(packages.levels(packages.ORDER.read_text()), found) == []


def test_a_use_in_the_other_direction_is_named():
    allowed = packages.levels("a b  # the bottom\n\nc\n")
    assert packages.problems(allowed, {("c", "a"), ("c", "b")}) == []
    assert packages.problems(allowed, {("a", "c"), ("a", "b")}) == [
        "the package a uses b, which is not above it in kernel/packages.txt",
        "the package a uses c, which is not above it in kernel/packages.txt",
    ]
    assert packages.problems(allowed, {("d", "a")}) == ["the package d has no place in kernel/packages.txt"]


@pytest.mark.parametrize("name", [*kernel._KERNEL_ERRORS, kernel._FENCED])
def test_exceptions_that_python_knows_by_name_exist(name):
    assert (SOURCES / f"{name.replace('.', '/')}.java").is_file()
