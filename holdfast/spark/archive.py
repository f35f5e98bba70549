"""The class archive (AppCDS): Spark's classes ready to map, made once at set-up or when an app is idle."""

import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import JavaError
from holdfast.private_files import open_private, private_directory
from holdfast.spark import jars
from holdfast.spark.java import find_java
from holdfast.spark.java_value import JavaValue

KERNEL = Path(__file__).parent.parent / "kernel" / "holdfast-kernel.jar"
KEPT = 3  # environments on one machine; an archive is some 150 MB
IN_USE_SECONDS = 24 * 3600  # environments that take turns must not delete each other's archive and make it anew
RETRY_SECONDS = 24 * 3600
TRAINING = 2  # to be raised when what the training does changes
TRAINER = "holdfast.ops.warmup"  # stands above this package, so it is named and not imported

Exercise = Callable[[JavaValue, Path], None]


@dataclass(frozen=True)
class Choice:
    """The JVM options that use an archive, and whether one should be made."""

    options: tuple[str, ...]
    missing: bool


def use(class_path: Sequence[Path]) -> Choice:
    """Choose the archive of this class path; HOLDFAST_ARCHIVE=off neither uses nor makes one."""
    if os.environ.get("HOLDFAST_ARCHIVE") == "off":
        return Choice((), False)
    path = archive_of(class_path)
    if path.parent.exists():
        _secure(path.parent)
    if not path.exists():
        return Choice((), not _failed_lately(path))
    os.utime(path)
    # auto: a JVM that cannot use the archive starts without it.
    return Choice(("-Xshare:auto", f"-XX:SharedArchiveFile={path}"), False)


def archive_of(class_path: Sequence[Path]) -> Path:
    """Give the place of the archive for this Java and these jars."""
    digest = hashlib.sha256(f"{TRAINING} {find_java().description}".encode())
    for jar in class_path:
        stat = jar.stat()
        digest.update(f"{jar} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return jars.cache_dir() / "archives" / f"{digest.hexdigest()[:16]}.jsa"


def start_training() -> subprocess.Popen[bytes]:
    """Start a process of low priority that makes the archive; it ends with this one."""
    command = [sys.executable, "-m", TRAINER, "--background"]
    pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=pipe, stdout=quiet, stderr=quiet, start_new_session=True, cwd="/", env=_environment()
    )


def stop_training(process: subprocess.Popen[bytes]) -> None:
    """End the process; the end of its standard input is the sign."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def make(exercise: Exercise) -> Path | None:
    """Make the archive unless it is there or being made, and give its path; None when another process is at it.

    `exercise` gets a gateway and a directory, and does what an app does at its start.
    """
    from holdfast.spark.jvm import spark_class_path

    class_path = spark_class_path()
    target = archive_of(class_path)
    _secure(target.parent)
    with open_private(target.with_suffix(".lock")) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        if not target.exists():
            _train(class_path, target, exercise)
            _delete_old(target)
    return target


def _secure(folder: Path) -> None:
    """An archive holds classes: one that another user could have written is not used."""

    def distrust() -> None:
        for path in folder.glob("*.jsa"):
            path.unlink(missing_ok=True)

    private_directory(folder, jars.OTHER_CACHE, distrust)


def _environment() -> dict[str, str]:
    """Pass on where this package was found, for the caller may have it from sys.path alone."""
    package_home = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [package_home, os.environ.get("PYTHONPATH")]))}


def _train(class_path: Sequence[Path], target: Path, exercise: Exercise) -> None:
    """Run the exercise, and let the JVM write down the classes it loaded."""
    from holdfast.spark.jvm import launch, stop_jvm

    partial = target.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="holdfast-archive-") as folder:
        options = [f"-XX:ArchiveClassesAtExit={partial}"]
        gateway = launch(class_path, options, log_file=Path(folder) / "jvm.log", heap="1g")
        try:
            exercise(gateway, Path(folder))
            stop_jvm(gateway, timeout=300)
        except BaseException:
            gateway.proc.kill()
            gateway.proc.wait()
            raise
        output = (Path(folder) / "jvm.out").read_text(errors="replace")
    if not partial.exists():
        target.with_suffix(".failed").write_text(output)
        raise JavaError(
            f"Java wrote no class archive; starting takes longer, all else works. Java said: {output[-500:]}"
        )
    partial.replace(target)


def _failed_lately(path: Path) -> bool:
    try:
        return time.time() - path.with_suffix(".failed").stat().st_mtime < RETRY_SECONDS
    except FileNotFoundError:
        return False


def _delete_old(target: Path) -> None:
    """Delete all but the archives used last or within a day; a JVM that has one mapped is not disturbed."""
    target.with_suffix(".failed").unlink(missing_ok=True)
    by_use = sorted(target.parent.glob("*.jsa"), key=lambda path: path.stat().st_mtime, reverse=True)
    recent = time.time() - IN_USE_SECONDS
    for path in by_use[KEPT:]:
        if path.stat().st_mtime > recent:
            continue
        path.unlink(missing_ok=True)
        path.with_suffix(".lock").unlink(missing_ok=True)
