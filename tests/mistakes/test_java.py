"""No Java, the wrong place for it, or one that is too old."""

import os
from pathlib import Path

import pytest

COUNT = 'events.group_by_key().count(store="counts")'


@pytest.fixture
def no_java(tmp_path: Path) -> str:
    folder = tmp_path / "empty"
    folder.mkdir()
    return str(folder)


def test_no_java_in_path(holdfast, program, no_java):
    refused = holdfast("run", program(COUNT), "--dev", PATH=no_java, JAVA_HOME="")
    refused.means("needs Java 17 or newer", "found no 'java' in PATH", "openjdk", "JAVA_HOME")


def test_a_java_home_without_java(holdfast, program, no_java):
    refused = holdfast("run", program(COUNT), "--dev", JAVA_HOME=no_java)
    refused.means(f"JAVA_HOME is {no_java}", "does not exist", "set JAVA_HOME")


def test_a_java_that_is_too_old(holdfast, program, tmp_path):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    path = f"{java.parent}{os.pathsep}{os.environ['PATH']}"
    refused = holdfast("run", program(COUNT), "--dev", PATH=path, JAVA_HOME="")
    refused.means("needs Java 17 or newer", f"{java} is Java 11", "install a JDK")
