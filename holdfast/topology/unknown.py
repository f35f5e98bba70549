"""The node of a document that another version of Holdfast has written."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.documents import Document, Json
from holdfast.topology.nodes import Node, Store


@dataclass(frozen=True, eq=False, kw_only=True)
class Unknown(Node):
    """An operation that this version does not know: it can be shown and compared, and not run."""

    document: Document
    backing: Store | None

    @property
    def op(self) -> str:  # type: ignore[override]
        """What the other version calls it."""
        return str(self.document["op"])

    @property
    def store(self) -> Store | None:
        """Its state, if it has any."""
        return self.backing

    @classmethod
    def parts(cls, document: Document) -> dict[str, object]:
        """All of the document."""
        return {**super().parts(document), "document": document}

    def body(self) -> dict[str, Json]:
        """The document as it was."""
        return dict(self.document)
