"""The node that samples a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from holdfast.topology.nodes import Node

BY = ("record", "key")


@dataclass(frozen=True, eq=False, kw_only=True)
class Sample(Node):
    """Keeps a share of the records, chosen by a hash and not by chance."""

    op: ClassVar[str] = "sample"
    same_value: ClassVar[bool] = True
    fraction: float
    by: str
    seed: int

    def __post_init__(self) -> None:
        if not _is_number(self.fraction) or not 0 <= self.fraction <= 1:
            raise self.refuse(f"fraction must be a number from 0 to 1, not {self.fraction!r}; 0.1 keeps one in ten")
        if self.by not in BY:
            raise self.refuse(f'by is {self.by!r}; it may be "record" or "key": select_key() makes a field the key')
        if not isinstance(self.seed, int) or isinstance(self.seed, bool) or not -(2**63) <= self.seed < 2**63:
            raise self.refuse(f"seed must be a whole number of 64 bits, not {self.seed!r}")

    def label(self) -> str:
        """Which share, of what."""
        seed = f", seed {self.seed}" if self.seed else ""
        return f"{self.fraction} by {self.by}{seed}"

    def details(self) -> dict[str, Any]:
        """Which share, of what."""
        return {"fraction": self.fraction, "by": self.by, "seed": self.seed}


def _is_number(given: object) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)
