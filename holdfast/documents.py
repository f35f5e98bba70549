"""Types for JSON, which is read and written at the edges only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A JSON value that is made here."""

Document = dict[str, Any]
"""A JSON object whose parts are looked up by name: `Any`, because who wrote it decides what is in it."""
