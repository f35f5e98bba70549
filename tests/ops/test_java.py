"""Finding Java, and the one line that is said when it is missing or too old."""

from pathlib import Path

import pytest

from holdfast.errors import JavaError
from holdfast.spark.java import _inspect, find_java, find_javac


def fake_java(folder: Path, script: str) -> Path:
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_the_java_of_this_machine_is_found() -> None:
    assert find_java().major >= 17


def test_options_from_the_environment_are_not_part_of_what_java_is(monkeypatch: pytest.MonkeyPatch) -> None:
    known = find_java().description
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")
    _inspect.cache_clear()
    assert find_java().description == known


def test_no_java_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match=r"needs Java 17 or newer.*install a JDK") as refused:
        find_java()
    assert "\n" not in str(refused.value)


def test_java_home_without_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=f"JAVA_HOME is {tmp_path}"):
        find_java()


@pytest.mark.parametrize(("version", "major"), [("1.8.0_402", 8), ("11.0.2", 11)])
def test_an_old_java_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, major: int) -> None:
    fake_java(tmp_path, f"echo 'openjdk version \"{version}\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=f"is Java {major}: install"):
        find_java()


def test_a_java_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path, "echo broken >&2; exit 3")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaError, match=r"gave no version \(broken\)"):
        find_java()


def test_a_runtime_without_a_compiler_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_java(tmp_path, "echo 'openjdk version \"21\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaError, match="runtime without it"):
        find_javac()
