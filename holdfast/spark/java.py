"""Finding a Java that is new enough."""

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import JavaError

OLDEST = 17
OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
INSTALL = "install a JDK (Debian: apt install openjdk-17-jdk-headless, macOS: brew install openjdk@17) or set JAVA_HOME"


@dataclass(frozen=True)
class Java:
    """A Java runtime: where it is and what it calls itself."""

    path: Path
    major: int
    description: str


def find_java() -> Java:
    """Give the Java of JAVA_HOME, else of PATH, or say what to install."""
    return _inspect(_executable("java", os.environ.get("JAVA_HOME")))


def find_javac() -> Path:
    """Give the Java compiler next to `find_java`, or say what to install."""
    java = find_java()
    neighbour = java.path.with_name("javac")
    found = str(neighbour) if neighbour.exists() else shutil.which("javac")
    if not found:
        raise JavaError(f"the kernel is compiled with javac, and {java.path} is a runtime without it: {INSTALL}")
    return Path(found)


def _executable(name: str, home: str | None) -> Path:
    if home:
        path = Path(home) / "bin" / name
        if not path.exists():
            raise JavaError(f"JAVA_HOME is {home}, but {path} does not exist: set JAVA_HOME to a Java {OLDEST}+ home")
        return path
    found = shutil.which(name)
    if not found:
        raise JavaError(f"holdfast needs Java {OLDEST} or newer and found no '{name}' in PATH: {INSTALL}")
    return Path(found)


@functools.cache
def _inspect(path: Path) -> Java:
    try:
        # Options say nothing of what it is, but it would repeat them, or call itself otherwise.
        plain = {name: value for name, value in os.environ.items() if name not in OPTIONS}
        done = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=60, check=False, env=plain)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaError(f"{path} does not run ({error}): {INSTALL}") from error
    text = done.stderr.strip()
    match = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if done.returncode or not match:
        raise JavaError(f"{path} -version gave no version ({text[:200] or 'no output'}): {INSTALL}")
    major = int(match[2] or 0) if match[1] == "1" else int(match[1])
    if major < OLDEST:
        raise JavaError(f"holdfast needs Java {OLDEST} or newer, {path} is Java {major}: {INSTALL}")
    return Java(path, major, text)
