"""Serdes: how a key or a value is written as bytes."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.documents import Document, Json
from holdfast.errors import TypeDeclarationError
from holdfast.position import user_position
from holdfast.types import BINARY, INTEGER, LONG, STRING, DataType, Scalar, from_json
from holdfast.types.type_hints import type_of


@dataclass(frozen=True)
class Serde:
    """A format (json, text, int32, int64, bytes) and the type it carries."""

    format: str
    type: DataType

    def to_json(self) -> dict[str, Json]:
        """The serde as the plan carries it."""
        return {"format": self.format, "type": self.type.to_json()}

    @classmethod
    def read(cls, document: Document) -> Serde:
        """The serde of a document."""
        return cls(document["format"], from_json(document["type"]))


def serde_of(declared: object, where: str) -> Serde:
    """`declared` itself if it is a serde, else the default for that type: scalars text, records JSON, bytes raw."""
    if isinstance(declared, Serde):
        return declared
    for make in (json, string, int32, int64):
        if declared is make:
            raise TypeDeclarationError(
                f"{where}: hf.{make.__name__} is a function; call it: hf.{make.__name__}()", at=user_position()
            )
    type_ = type_of(declared, where)
    return Serde(_default_format(type_), type_)


def _default_format(type_: DataType) -> str:
    if type_ == BINARY:
        return "bytes"
    return "text" if isinstance(type_, Scalar) else "json"


def json(type: object) -> Serde:
    """JSON, whatever the type: a number as `42`, a string in quotes.

    >>> import holdfast as hf
    >>> hf.json(int).format
    'json'
    """
    return Serde("json", type_of(type, "hf.json"))


def string() -> Serde:
    """UTF-8 text.

    >>> import holdfast as hf
    >>> hf.string()
    Serde(format='text', type=Scalar(name='string'))
    """
    return Serde("text", STRING)


def int32() -> Serde:
    """Kafka's IntegerSerializer: four bytes, big-endian.

    >>> import holdfast as hf
    >>> hf.int32()
    Serde(format='int32', type=Scalar(name='integer'))
    """
    return Serde("int32", INTEGER)


def int64() -> Serde:
    """Kafka's LongSerializer: eight bytes, big-endian.

    >>> import holdfast as hf
    >>> hf.int64()
    Serde(format='int64', type=Scalar(name='long'))
    """
    return Serde("int64", LONG)
