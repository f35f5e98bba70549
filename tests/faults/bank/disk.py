"""A disk that can be filled: a small file system in memory where one may be mounted."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

SIZE = 512 * 2**20


class NotPossible(Exception):
    """A fault that cannot strike on this machine."""


class Disk:
    """The disk under the checkpoint."""

    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir(parents=True)
        mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "holdfast-faults", str(place)]
        self.own = os.geteuid() == 0 and subprocess.run(mount, capture_output=True).returncode == 0

    def fill(self) -> None:
        """Leave no room, not a byte; the disk of whoever runs this is not touched."""
        if not self.own:
            raise NotPossible("a full disk needs the right to mount a small one")
        with (self.place / "balloon").open("wb", buffering=0) as file:
            piece = 2**20
            while piece:
                try:
                    file.write(b"\0" * piece)
                except OSError:
                    piece //= 2

    def empty(self) -> None:
        """Give the room back."""
        (self.place / "balloon").unlink()

    def close(self) -> None:
        """Unmount it."""
        if self.own:
            subprocess.run(["umount", "-l", str(self.place)], check=True)
            self.own = False
