"""How a server shares the stores of its app."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Sharing:
    """How many more servers hold what one holds, where others ask this one, and the secret of all.

    `url` is how others reach `port`; without one it is the address that the server listens at.
    """

    standbys: int
    secret: str = field(repr=False)
    port: int = 0
    url: str = ""
    authority: Path | None = None
