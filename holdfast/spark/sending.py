"""What executors of a cluster get before functions run there: code, and packages if that is wanted."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from holdfast.errors import SettingsError
from holdfast.spark import jars, own_code
from holdfast.spark.archive import KERNEL
from holdfast.worker_settings import WorkerSettings

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


def send(java_session: Any, file: Path | None, settings: WorkerSettings) -> dict[str, Any]:
    """Send code to the executors, and say how Python is started there; `file` is the program's."""
    context = java_session.sparkContext()
    if is_local(context.master()):
        return _start(_interpreter(sys.executable), _path(file), [])
    sent = [_archive(context, _code(file), CODE)]
    if settings.environment == "same":
        return _start(_interpreter(sys.executable), _path(file), sent)
    if settings.environment == "send":
        sent.append(_archive(context, _packages(), PACKAGES))
        return _start(_interpreter(f"python{sys.version_info[0]}.{sys.version_info[1]}"), [], sent)
    unpacked = _archive(context, _given(settings.environment), ENVIRONMENT)
    return {**_start(f"{unpacked}/bin/python", [], sent), "interpreter_is_sent": True}


def _interpreter(otherwise: str) -> str:
    return os.environ.get("PYSPARK_PYTHON") or otherwise


def _start(interpreter: str, path: list[str], sent: list[str]) -> dict[str, Any]:
    return {
        "command": [interpreter, "-m", "holdfast.calls.worker"],
        "environment": {"PYTHONPATH": os.pathsep.join(path)},
        "sent": sent,
    }


def _path(file: Path | None) -> list[str]:
    beside = [str(file.parent)] if file else []
    return [each for each in dict.fromkeys([*sys.path, *beside]) if each]


def _code(file: Path | None) -> Path:
    return own_code.pack(own_code.own_files(file), jars.cache_dir() / "sent", CODE)


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


def _archive(context: Any, path: Path, name: str) -> str:
    """Let Spark unpack a file on each executor under a name of its own, which is given back."""
    digest = path.stem.rpartition("-")[2] if name != ENVIRONMENT else str(path.stat().st_mtime_ns)
    unpacked = f"{name}-{digest}"
    wanted = f"{path.as_uri()}#{unpacked}"
    if wanted not in [str(each) for each in _listed(context)]:
        context.addArchive(wanted)
    return unpacked


def _listed(context: Any) -> list[Any]:
    found = context.listArchives()
    return [found.apply(index) for index in range(found.size())]
