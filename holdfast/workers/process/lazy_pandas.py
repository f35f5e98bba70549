"""Delays Arrow's import of pandas until it is used: it takes longer than the rest of a worker's start."""

from __future__ import annotations

import importlib.util
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pyarrow as pa


def defer_pandas() -> None:
    """Let Arrow look for pandas and find none; it looks again when a function imports pandas or asks for a frame."""
    if "pandas" in sys.modules:
        return
    missing = _HiddenPandas()
    sys.meta_path.insert(0, missing)
    try:
        pa.array([None])
    finally:
        sys.meta_path.remove(missing)
    sys.meta_path.insert(0, _PandasImportHook())


class _HiddenPandas(MetaPathFinder):
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError("not yet")


class _PandasImportHook(MetaPathFinder):
    """Lets Arrow find pandas when it is imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != "pandas":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _RefreshingLoader(spec.loader)
        return spec


class _RefreshingLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        pa.array([None]).to_pandas()  # what needs pandas makes Arrow look again
