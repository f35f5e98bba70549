"""The jars Holdfast adds to PySpark's own: fetched once, checked against `jars.lock`, kept in a cache."""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import HoldfastError
from holdfast.private_files import open_private, private_directory, write_private
from holdfast.settings.table import CACHE
from holdfast.spark import ivy

GROUPS = ("connector", "broker")
TEST_GROUPS = ("oracle",)  # fetched by the tests that need them, never by a user
OTHER_CACHE = "set HOLDFAST_CACHE to a directory of yours"
LOCK_FILE = Path(__file__).with_name("jars.lock")


@dataclass(frozen=True)
class Jar:
    """One pinned jar; `group` is what it is needed for."""

    group: str
    organisation: str
    name: str
    revision: str
    sha256: str
    size: int

    @property
    def file(self) -> str:
        """The name of the file in the cache."""
        return f"{self.name}-{self.revision}.jar"


def cache_dir() -> Path:
    """Give the cache: $HOLDFAST_CACHE, else `holdfast` in the user's cache directory."""
    chosen = os.environ.get(CACHE.variable)
    if chosen:
        return Path(chosen).expanduser().absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "holdfast"


def pyspark_jars() -> Path:
    """Give PySpark's directory of jars without importing PySpark."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise HoldfastError("pyspark is not installed in this environment: pip install holdfast")
    return Path(next(iter(spec.submodule_search_locations))) / "jars"


def locked(group: str | None = None) -> tuple[Jar, ...]:
    """Give the pinned jars, of one group or all."""
    lines = LOCK_FILE.read_text().splitlines()
    jars = (_parsed(line) for line in lines if line and not line.startswith("#"))
    return tuple(jar for jar in jars if group in (None, jar.group))


def _parsed(line: str) -> Jar:
    group, coordinates, sha256, size = line.split()
    organisation, name, revision = coordinates.split(":")
    return Jar(group, organisation, name, revision, sha256, int(size))


def paths(group: str) -> list[Path]:
    """Give the cached jars of a group, sorted, fetching what is missing."""
    ensure([group])
    return sorted(_home(jar) for jar in locked(group))


def ensure(groups: Iterable[str] = GROUPS) -> None:
    """Fetch what is missing or damaged of `groups`; when all is there, touch nothing and need no network."""
    wanted = [jar for group in groups for jar in locked(group)]
    _secure()
    if not _missing(wanted):
        return
    with _lock(cache_dir() / "jars.lock"):
        missing = _missing(wanted)
        if missing:
            _fetch(missing)


def _secure() -> None:
    """Jars are code: none of another user's are used, and what one could have written is verified anew."""
    home = cache_dir() / "jars"
    known = home / "verified.json"
    try:
        for folder in (home, *(home / group for group in (*GROUPS, *TEST_GROUPS) if (home / group).exists())):
            private_directory(folder, OTHER_CACHE, lambda: known.unlink(missing_ok=True))
    except OSError as error:
        raise HoldfastError(f"cannot write the cache {cache_dir()} ({error}); {OTHER_CACHE}") from error


def _home(jar: Jar) -> Path:
    return cache_dir() / "jars" / jar.group / jar.file


def _missing(jars: list[Jar]) -> list[Jar]:
    verified = _verified()
    return [jar for jar in jars if not _intact(jar, verified)]


def _intact(jar: Jar, verified: dict[str, list[int]]) -> bool:
    """Whether the cached file is the pinned one; the digest is computed only when the file changed."""
    path = _home(jar)
    try:
        stat = path.stat()
    except OSError:
        return False
    if stat.st_size != jar.size:
        return False
    return verified.get(jar.sha256) == [stat.st_size, stat.st_mtime_ns] or _digest(path) == jar.sha256


def _verified() -> dict[str, list[int]]:
    try:
        found = json.loads((cache_dir() / "jars" / "verified.json").read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _remember() -> None:
    """Note size and time of every verified file, so that later starts need not read them."""
    present = ((jar, _home(jar)) for jar in locked())
    stats = {jar.sha256: path.stat() for jar, path in present if path.exists()}
    target = cache_dir() / "jars" / "verified.json"
    partial = target.with_suffix(f".{os.getpid()}")
    write_private(partial, json.dumps({sha: [stat.st_size, stat.st_mtime_ns] for sha, stat in stats.items()}))
    partial.replace(target)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(jars: list[Jar]) -> None:
    home = cache_dir() / "jars"
    work = Path(tempfile.mkdtemp(prefix="fetch-", dir=home))
    try:
        with _progress(len(jars)) as advance:
            ivy.retrieve([(j.group, j.organisation, j.name, j.revision) for j in jars], work, pyspark_jars(), advance)
        for jar in jars:
            _admit(jar, work / jar.group / jar.file)
        _remember()
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _admit(jar: Jar, fetched: Path) -> None:
    """Move a fetched file into the cache if it is the pinned one."""
    came = _digest(fetched) if fetched.exists() else "no file"
    if came != jar.sha256:
        raise HoldfastError(
            f"jar {jar.file}: wanted SHA-256 {jar.sha256}, got {came}; the download was damaged or the registry gave "
            f"another file, and nothing of it was kept. Run the command again; if it stays so, look at the proxy or "
            f"mirror between you and the registry (HOLDFAST_IVY_SETTINGS names an ivysettings.xml of your own)"
        )
    target = _home(jar)
    target.parent.mkdir(mode=0o700, exist_ok=True)
    fetched.replace(target)


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Let one process at a time fetch; the lock dies with its process."""
    try:
        file = open_private(path)
    except OSError as error:
        raise HoldfastError(
            f"cannot write the cache {path.parent} ({error}); set HOLDFAST_CACHE to a directory"
        ) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        print(f"fetching {total} jars into {cache_dir()}", file=sys.stderr)
        yield lambda name: None
        return
    columns = (
        TextColumn("fetching jars"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, advance=1, description=name)


if __name__ == "__main__":
    try:
        ensure()
    except HoldfastError as problem:
        sys.exit(f"holdfast: {problem}")
