"""What executors of a cluster get before functions run there: code, and packages if that is wanted."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from holdfast.documents import Document
from holdfast.errors import SettingsError
from holdfast.settings.workers import WorkerSettings
from holdfast.spark import jars, own_code
from holdfast.spark.archive import KERNEL
from holdfast.spark.java_value import JavaValue

CODE = "holdfast-code"
PACKAGES = "holdfast-packages"
ENVIRONMENT = "holdfast-environment"
# Executors do not start Spark with them, or do not need them to run functions.
_LEFT_OUT = ("pyspark/jars/", "pyspark/examples/", "pyspark/data/", "pip/", "setuptools/", "wheel/")


def is_local(master: str) -> bool:
    """Whether tasks run in this process, where everything is."""
    return master.startswith("local")


def java_jars() -> list[Path]:
    """The jars that executors need besides Spark's own."""
    return [*jars.paths("connector"), KERNEL]


def archives(folder: Path, settings: WorkerSettings) -> dict[str, str]:
    """The files that Spark unpacks on each executor, by the name of the directory they get there."""
    made = {CODE: _code(folder)}
    if settings.environment == "send":
        made[PACKAGES] = _packages()
    elif settings.environment != "same":
        made[ENVIRONMENT] = _given(settings.environment)
    return {name: f"{path.as_uri()}#{name}" for name, path in made.items()}


def send(java_session: JavaValue, folder: Path, settings: WorkerSettings) -> Document:
    """See that executors have the code, and say how Python is started there; `folder` is the program's."""
    context = java_session.sparkContext()
    if is_local(str(context.master())):
        return _start(_interpreter(sys.executable), _path(folder), [])
    sent = archives(folder, settings)
    _add_missing(context, sent)
    code = [name for name in sent if name != ENVIRONMENT]
    if settings.environment == "same":
        return _start(_interpreter(sys.executable), _path(folder), code)
    if settings.environment == "send":
        return _start(_interpreter(f"python{sys.version_info[0]}.{sys.version_info[1]}"), [], code)
    return {**_start(f"{ENVIRONMENT}/bin/python", [], code), "interpreter_is_sent": True}


def _add_missing(context: JavaValue, sent: dict[str, str]) -> None:
    """A session of the user's own does not know of them yet."""
    found = context.listArchives()
    known = [str(found.apply(index)).rpartition("#")[2] for index in range(int(found.size()))]
    for name, archive in sent.items():
        if name not in known:
            context.addArchive(archive)


def _interpreter(otherwise: str) -> str:
    return os.environ.get("PYSPARK_PYTHON") or otherwise


def _start(interpreter: str, path: list[str], sent: list[str]) -> Document:
    return {
        "command": [interpreter, "-m", "holdfast.workers.process.main"],
        "environment": {"PYTHONPATH": os.pathsep.join(path)},
        "sent": sent,
    }


def _path(folder: Path) -> list[str]:
    return [each for each in dict.fromkeys([*sys.path, str(folder)]) if each]


def _code(folder: Path) -> Path:
    return own_code.pack(own_code.own_files(folder), jars.cache_dir() / "sent", CODE)


def _packages() -> Path:
    files: dict[str, Path] = {}
    for folder in own_code.packages():
        for path in Path(folder).rglob("*"):
            inside = str(path.relative_to(folder))
            if path.is_file() and "__pycache__" not in path.parts and not inside.startswith(_LEFT_OUT):
                files.setdefault(inside, path)
    digest = hashlib.sha256()
    for inside, path in sorted(files.items()):
        found = path.stat()
        digest.update(f"{inside} {found.st_size} {found.st_mtime_ns}\n".encode())
    target = jars.cache_dir() / "sent" / f"{PACKAGES}-{digest.hexdigest()[:16]}.zip"
    if not target.exists():
        own_code.write_zip(files, target)
    return target


def _given(environment: str) -> Path:
    path = Path(environment).expanduser().absolute()
    if not path.is_file():
        raise SettingsError(
            f"python['environment'] is {environment!r}, and there is no such file; write same, send, or the path of a "
            "packed environment"
        )
    return path
