"""Records the topics and the checkpoint of an app, and refuses to start if one was replaced or lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from holdfast.errors import StateMismatch
from holdfast.plan import durable


class Inputs:
    """The identities of the topics that a checkpoint's offsets belong to, stored with it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._file = directory / "inputs.json"
        self._checkpoint = directory / "checkpoint"

    def check(self, topics: Mapping[str, str]) -> None:
        """Refuse to go on with a checkpoint that is gone or spoiled, or on a topic that was made anew."""
        known = self._read()
        if known is None:
            return
        if not (self._checkpoint / "metadata").is_file():
            raise StateMismatch(
                f"the checkpoint of the app is gone: {self._checkpoint} has no metadata. Put it back from a copy; or, "
                f"to begin again with all that the topics still have, remove {self._directory}"
            )
        for name, identity in topics.items():
            if known.get(name, identity) != identity:
                raise StateMismatch(
                    f"topic {name!r} was deleted and made again since the app read it, so that the app's offsets mean "
                    f"nothing in it. To read the new topic from its beginning, with new state, remove {self._directory}"
                )
        for name in known:
            if name not in topics:
                raise StateMismatch(
                    f"topic {name!r}, which the app has read, does not exist any more. Make it again from a copy with "
                    f"its offsets, or, to begin again without it, remove {self._directory}"
                )

    def record(self, topics: Mapping[str, str]) -> None:
        """Remember the topics, once the checkpoint is there."""
        durable.write(self._file, json.dumps({"topics": dict(topics)}))

    def _read(self) -> dict[str, str] | None:
        try:
            topics: dict[str, str] = json.loads(self._file.read_text())["topics"]
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            raise StateMismatch(f"{self._file} cannot be read; remove {self._directory} to begin again") from None
        return topics
