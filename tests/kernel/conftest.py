"""Compiles the kernel's own Java tests once and runs their main classes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.spark.archive import KERNEL
from holdfast.spark.java import find_java, find_javac
from holdfast.spark.jvm import MODULE_OPTIONS, spark_class_path

SOURCES = Path(__file__).parents[2] / "kernel" / "src" / "test" / "java"
RunJava = Callable[..., None]


@pytest.fixture(scope="session")
def run_java(tmp_path_factory: pytest.TempPathFactory) -> RunJava:
    """Run a test class of the kernel; it ends with status 1 and a list of what failed."""
    classes = tmp_path_factory.mktemp("classes")
    class_path = ":".join(map(str, [classes, KERNEL, *spark_class_path()]))
    sources = [str(path) for path in sorted(SOURCES.rglob("*.java"))]
    compiler = [str(find_javac()), "-proc:none", "-nowarn", "-encoding", "UTF-8", "-cp", class_path, "-d", str(classes)]
    compiled = subprocess.run([*compiler, *sources], capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr

    def run(main: str, *arguments: str, timeout: float = 300) -> None:
        command = [str(find_java().path), "-Xmx1g", *MODULE_OPTIONS, "-cp", class_path, f"io.holdfast.kernel.{main}"]
        ended = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, timeout=timeout)
        # Spark may log a lot while the process ends, after the list of what failed.
        failed = ended.stderr[max(0, ended.stderr.find("FAILED ")) :][:5000]
        assert ended.returncode == 0, f"{ended.stdout[-5000:]}\n{failed}\n{ended.stderr[-5000:]}"

    return run
