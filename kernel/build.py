"""Compile the kernel with javac into holdfast/kernel/holdfast-kernel.jar, unless nothing changed."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT.parent))

from holdfast.errors import HoldfastError  # noqa: E402
from holdfast.spark import jars  # noqa: E402
from holdfast.spark.java import find_javac  # noqa: E402

SOURCES = ROOT / "src" / "main" / "java"
RESOURCES = ROOT / "src" / "main" / "resources"
TARGET = ROOT.parent / "holdfast" / "kernel" / "holdfast-kernel.jar"
RELEASE = "17"
STAMP = "META-INF/holdfast-build"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources give the same bytes


def main() -> None:
    """Build if the sources, the resources or the class path changed."""
    class_path = [*sorted(jars.pyspark_jars().glob("*.jar")), *jars.paths("connector")]
    key = fingerprint(class_path)
    if built_key() == key:
        TARGET.touch()
        return
    with tempfile.TemporaryDirectory() as folder:
        classes = Path(folder)
        compile_into(classes, class_path)
        pack(classes, key)
    print(f"built {TARGET.relative_to(ROOT.parent)}")


def fingerprint(class_path: list[Path]) -> str:
    """Give a digest of everything the jar depends on."""
    digest = hashlib.sha256(RELEASE.encode() + Path(__file__).read_bytes())
    for path in [*files(SOURCES), *files(RESOURCES)]:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    for jar in class_path:
        digest.update(f"{jar.name} {jar.stat().st_size}\n".encode())
    return digest.hexdigest()


def files(folder: Path) -> list[Path]:
    """Give the files under a folder in a fixed order, without hidden ones."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))


def built_key() -> str | None:
    """Give the fingerprint stored in the jar that is there, if it is whole."""
    try:
        with zipfile.ZipFile(TARGET) as jar:
            return jar.read(STAMP).decode()
    except (FileNotFoundError, KeyError, zipfile.BadZipFile):
        return None


def compile_into(classes: Path, class_path: list[Path]) -> None:
    """Run javac over all sources; its messages go to the terminal."""
    sources = [path for path in files(SOURCES) if path.suffix == ".java"]
    if not sources:
        return
    arguments = classes.parent / f"{classes.name}.args"
    arguments.write_text("\n".join(f'"{path}"' for path in sources))
    # -proc:none: an annotation processor on Spark's class path would otherwise run over the kernel.
    command = [
        str(find_javac()),
        "--release",
        RELEASE,
        "-encoding",
        "UTF-8",
        "-g",
        "-parameters",
        "-proc:none",
        "-nowarn",
    ]
    command += ["-Xlint:-options", "-cp", ":".join(map(str, class_path)), "-d", str(classes), f"@{arguments}"]
    try:
        if subprocess.run(command, check=False).returncode:
            raise HoldfastError("the kernel does not compile; see javac's messages above")
    finally:
        arguments.unlink()
    if RESOURCES.exists():
        shutil.copytree(RESOURCES, classes, dirs_exist_ok=True)


def pack(classes: Path, key: str) -> None:
    """Write the jar beside its place, then rename it, so that no reader sees half of one."""
    partial = TARGET.with_suffix(".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as jar:
        add(jar, "META-INF/MANIFEST.MF", b"Manifest-Version: 1.0\r\nImplementation-Title: holdfast-kernel\r\n\r\n")
        add(jar, STAMP, key.encode())
        for path in files(classes):
            add(jar, path.relative_to(classes).as_posix(), path.read_bytes())
    partial.replace(TARGET)


def add(jar: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add one entry with a fixed time."""
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    jar.writestr(entry, content)


if __name__ == "__main__":
    try:
        main()
    except HoldfastError as problem:
        sys.exit(f"holdfast: {problem}")
