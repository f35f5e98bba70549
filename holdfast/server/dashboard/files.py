"""The files of the page: HTML, styles and modules, read once; a path names one of them or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PAGE = "index.html"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class StaticFile:
    """One file, as it is sent."""

    content: bytes
    media_type: str
    tag: str

    @property
    def headers(self) -> dict[str, str]:
        """What goes with it: a browser asks again each time, and gets nothing if it has it."""
        return {"Content-Security-Policy": POLICY, "ETag": self.tag, "Cache-Control": "no-cache",
                "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin"}  # fmt: skip


@cache
def static_files() -> Mapping[str, StaticFile]:
    """All of them by their path below `/dashboard/`."""
    return dict(_walk(files("holdfast.server.dashboard") / "static", ""))


def _walk(directory: Traversable, path: str) -> Iterator[tuple[str, StaticFile]]:
    for each in directory.iterdir():
        if each.is_dir():
            yield from _walk(each, f"{path}{each.name}/")
        elif (kind := _TYPES.get(each.name[each.name.rfind(".") :])) is not None:
            content = each.read_bytes()
            yield f"{path}{each.name}", StaticFile(content, kind, f'"{hashlib.sha256(content).hexdigest()[:20]}"')
