"""Packs the code that executors need: this package, and the modules of the app."""

from __future__ import annotations

import hashlib
import site
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import holdfast
from holdfast.private_files import open_private, private_directory

_HIDDEN = ("__pycache__", "node_modules")
_PACKAGE = Path(holdfast.__file__).parent
_EPOCH = (1980, 1, 1, 0, 0, 0)


def own_files(folder: Path) -> dict[str, Path]:
    """The files by the names under which Python finds them there; `folder` is the program's."""
    found: dict[str, Path] = {}
    for path in _imported():
        found.update(_files(path))
    for path in _beside(folder):
        found.update(_files(path))
    found.update({name: path for name, path in _files(_PACKAGE).items() if path.suffix != ".jar"})
    return found


def pack(files: dict[str, Path], folder: Path, name: str) -> Path:
    """A zip file of them, with a digest of its content in its name; the same content gives the same file."""
    digest = hashlib.sha256()
    for inside, path in sorted(files.items()):
        digest.update(inside.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    target = folder / f"{name}-{digest.hexdigest()[:16]}.zip"
    if not target.exists():
        write_zip(files, target)
    return target


def write_zip(files: dict[str, Path], target: Path) -> None:
    """Write the files to a zip; nobody sees it half written."""
    private_directory(target.parent, "set HOLDFAST_CACHE to a directory of yours")
    partial = target.with_suffix(".partial")
    with (
        open_private(partial, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for inside, path in sorted(files.items()):
            entry = zipfile.ZipInfo(inside, _EPOCH)
            entry.external_attr = (path.stat().st_mode & 0xFFFF) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    partial.replace(target)


def _beside(folder: Path) -> Iterator[Path]:
    """Modules and packages in the directory of the app."""
    for path in folder.iterdir():
        if path.suffix == ".py" or (path / "__init__.py").is_file():
            yield path


def _imported() -> Iterator[Path]:
    """Modules and packages that are imported and belong to no environment."""
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and _is_top(name) and file.endswith(".py") and not _installed(Path(file)):
            path = Path(file)
            yield path.parent if path.name == "__init__.py" else path


def _is_top(name: str) -> bool:
    return "." not in name and name not in ("__main__", holdfast.__name__)


def _installed(path: Path) -> bool:
    return any(path.is_relative_to(each) for each in _environment())


def _environment() -> Iterable[str]:
    return {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *packages()}


def packages() -> list[str]:
    """The directories with installed packages."""
    user = site.getusersitepackages()
    known = [*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), user]
    return [each for each in dict.fromkeys(known) if Path(each).is_dir()]


def _files(path: Path) -> dict[str, Path]:
    if path.is_file():
        return {path.name: path}
    inside = (each for each in path.rglob("*") if each.is_file())
    return {str(each.relative_to(path.parent)): each for each in inside if not _hidden(each.relative_to(path))}


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part in _HIDDEN for part in path.parts)
