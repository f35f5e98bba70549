"""Loading an app file: the one App in it, or the one that is named."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from holdfast.dsl.app import App
from holdfast.dsl.importing import importing_app
from holdfast.errors import AppFileError, HoldfastError
from holdfast.names import did_you_mean


def load_app(where: str | Path) -> App:
    """The App of "file.py", or of "file.py:name" where the file has several."""
    text = str(where)
    path, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    module = _module(_file(path))
    return _named(module, path, name) if name else _only(module, path)


def _file(path: str) -> Path:
    file = Path(path).resolve()
    if file.is_file():
        return file
    folder = file.parent
    names = sorted(each.name for each in folder.glob("*.py")) if folder.is_dir() else []
    what = "is a directory" if file.is_dir() else "does not exist"
    raise AppFileError(f"{path} {what}; give the file of an app{did_you_mean(file.name, names)}")


def _module(file: Path) -> ModuleType:
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(_module_name(file), file)
    if spec is None or spec.loader is None:
        raise AppFileError(f"{file} is not a Python file; give the file of an app, for example app.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        with importing_app():
            spec.loader.exec_module(module)
    except HoldfastError:
        sys.modules.pop(spec.name, None)
        raise
    except (Exception, SystemExit) as error:
        sys.modules.pop(spec.name, None)
        raise AppFileError(_failure(file, error)) from error
    return module


def _module_name(file: Path) -> str:
    """The file's own name, so that what it defines can be found again; another one where that is taken."""
    known = sys.modules.get(file.stem)
    taken = known is not None and getattr(known, "__file__", None) != str(file)
    return f"holdfast_app_{file.stem}" if taken or importlib.util.find_spec(file.stem) is None else file.stem


def _failure(file: Path, error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename == str(file):
        line, text = error.lineno, (error.text or "").strip()
    else:
        steps = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == str(file)]
        line, text = (steps[-1].lineno, steps[-1].line or "") if steps else (None, "")
    where = f"{file.name}:{line}" if line else file.name
    shown = f"\n    {text}" if text else ""
    return f"{where}: {type(error).__name__}: {error}{shown}"


def _apps(module: ModuleType) -> dict[str, App]:
    return {name: each for name, each in vars(module).items() if isinstance(each, App)}


def _only(module: ModuleType, path: str) -> App:
    apps = _apps(module)
    different = {id(each): name for name, each in reversed(apps.items())}
    if not apps:
        raise AppFileError(f'{path} has no App; make one at the top of the file: app = hf.App("name")')
    if len(different) > 1:
        choices = " or ".join(f"{path}:{name}" for name in reversed(different.values()))
        raise AppFileError(f"{path} has {len(different)} Apps; say which: {choices}")
    return next(iter(apps.values()))


def _named(module: ModuleType, path: str, name: str) -> App:
    found = getattr(module, name, None)
    if not isinstance(found, App):
        what = "is not an App" if hasattr(module, name) else "is not there"
        raise AppFileError(f"{path}:{name} {what}{did_you_mean(name, _apps(module))}")
    return found
