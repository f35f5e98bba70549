"""Whether the command line is only reading an app file, so that `app.run()` in it does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_importing: ContextVar[bool] = ContextVar("holdfast_importing", default=False)


@contextmanager
def importing_app() -> Iterator[None]:
    """While this is open, `app.run()` is a no-op."""
    token = _importing.set(True)
    try:
        yield
    finally:
        _importing.reset(token)


def is_importing() -> bool:
    """Whether an app file is being read."""
    return _importing.get()
