"""The store of a node."""

from __future__ import annotations

from dataclasses import dataclass, fields

from holdfast.documents import Document, Json


@dataclass(frozen=True)
class Store:
    """The store of a node; without a name it cannot be queried and has no changelog.

    A state that cannot be queried may have been named by the user all the same: then `queryable` is false.
    """

    name: str | None
    state: str
    emit: str = "latest"
    changelog: str | None = None
    versioned: int | None = None
    ttl: int | None = None
    queryable: bool = True

    @property
    def label(self) -> str:
        """The user's name, or that of the state in parentheses."""
        return self.name or f"({self.state})"

    @property
    def is_named(self) -> bool:
        """Whether the user named it, so that it does not hang on a generated number."""
        return bool(self.name) or not self.queryable

    def to_json(self) -> dict[str, Json]:
        """The store as the plan carries it."""
        named = {"name": self.name, "state": self.state, "emit": self.emit, "changelog": self.changelog}
        times = {"versioned": self.versioned, "ttl": self.ttl}
        state_only = {} if self.queryable else {"queryable": False}
        return {**named, **{name: time for name, time in times.items() if time is not None}, **state_only}

    @classmethod
    def read(cls, document: Document | None) -> Store | None:
        """The store of a document, None if it has none; plans of earlier versions have options that are no more."""
        known = {each.name for each in fields(cls)}
        return None if document is None else cls(**{name: each for name, each in document.items() if name in known})
