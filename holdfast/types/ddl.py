"""A small reader of Spark's DDL; what it does not know is left to Spark."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from holdfast.errors import TypeDeclarationError
from holdfast.names import did_you_mean, words
from holdfast.types.datatypes import Array, DataType, Decimal, Field, Map, Scalar, Struct, Unread

R = TypeVar("R")

_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)+`)|([A-Za-z_][A-Za-z0-9_]*)|(\d+)|([<>(),:]))")
_NAMES = {
    **dict.fromkeys(("bigint", "long"), "long"),
    **dict.fromkeys(("int", "integer"), "integer"),
    **dict.fromkeys(("smallint", "short"), "short"),
    **dict.fromkeys(("tinyint", "byte"), "byte"),
    **dict.fromkeys(("float", "real"), "float"),
    **dict.fromkeys(("timestamp", "timestamp_ltz"), "timestamp"),
    **{name: name for name in ("double", "boolean", "string", "binary", "date", "timestamp_ntz")},
}


# What Spark's DDL has beyond what is read here.
_SPARKS_OWN = words(
    "variant interval char character varchar void time collate comment default generated geometry geography"
)


class _NotKnown(Exception):
    """This reader does not know the text; the message says why."""


def parse_ddl(text: str, where: str) -> DataType:
    """The type that a DDL text stands for, or the text where only Spark knows it.

    >>> parse_ddl("array<int>", "tags")
    Array(element=Scalar(name='integer'), contains_null=True)
    """
    if not text.strip():
        raise TypeDeclarationError(f'{where}: the type is empty; write for example "id BIGINT, name STRING"')
    try:
        return _Reader(text, where).whole()
    except _NotKnown as problem:
        if _SPARKS_OWN & {each.lower() for each in _WORD.findall(text)}:
            return Unread(text)
        raise TypeDeclarationError(
            f'{where}: {text!r} is no type: {problem}; write for example "id BIGINT, name STRING"'
        ) from None


_WORD = re.compile(r"[A-Za-z_]+")
_TYPES = (*_NAMES, "decimal", "array", "map", "struct", *sorted(_SPARKS_OWN))


class _Reader:
    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.tokens = _tokens(text)
        self.at = 0

    def whole(self) -> DataType:
        """A single type, or the fields of a record."""
        try:
            alone = self.type()
            if self.at == len(self.tokens):
                return alone
        except _NotKnown:
            if len(self.tokens) == 1 or self.tokens[1] in ("<", "("):
                raise
        self.at = 0
        return self.fields(end=None)

    def fields(self, end: str | None) -> Struct:
        fields: list[Field] = []
        while True:
            fields.append(self.field())
            if self.peek() == end:
                break
            self.expect(",")
        names = [each.name.lower() for each in fields]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice:
            raise TypeDeclarationError(f"{self.where}: the field {twice!r} is there twice")
        return Struct(fields)

    def field(self) -> Field:
        name = self.next()
        if not re.match(r"[`A-Za-z_]", name):
            raise _NotKnown(f"the name of a field was wanted, {name!r} came")
        if self.peek() == ":":
            self.next()
        type_ = self.type()
        nullable = not self.skip("not", "null")
        return Field(name.strip("`").replace("``", "`"), type_, nullable)

    def type(self) -> DataType:
        name = self.next().lower()
        if name == "array":
            return Array(self.inside(self.type))
        if name == "map":
            return Map(*self.inside(self.pair))
        if name == "struct":
            return self.inside(lambda: self.fields(end=">"))
        if name in ("decimal", "dec", "numeric"):
            return self.decimal()
        if name in _NAMES:
            return Scalar(_NAMES[name])
        raise _NotKnown(f"there is no type {name!r}{did_you_mean(name, _TYPES)}")

    def inside(self, read: Callable[[], R]) -> R:
        self.expect("<")
        found = read()
        self.expect(">")
        return found

    def pair(self) -> tuple[DataType, DataType]:
        key = self.type()
        self.expect(",")
        return key, self.type()

    def decimal(self) -> Decimal:
        if self.peek() != "(":
            return Decimal(10, 0)
        self.next()
        precision, scale = self.next(), "0"
        if self.peek() == ",":
            self.next()
            scale = self.next()
        self.expect(")")
        if not (precision.isdigit() and scale.isdigit() and int(scale) <= int(precision) <= 38 and int(precision) > 0):
            raise TypeDeclarationError(
                f"{self.where}: decimal({precision},{scale}) is no type; a decimal has 1 to 38 digits, and not more "
                "of them after the point"
            )
        return Decimal(int(precision), int(scale))

    def peek(self) -> str | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self) -> str:
        token = self.peek()
        if token is None:
            raise _NotKnown("it ends too early")
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        came = self.next()
        if came != token:
            raise _NotKnown(f"{token!r} was wanted, {came!r} came")

    def skip(self, *words: str) -> bool:
        found = [each.lower() for each in self.tokens[self.at : self.at + len(words)]] == list(words)
        self.at += len(words) if found else 0
        return found


def _tokens(text: str) -> list[str]:
    tokens, end = [], 0
    text = text.rstrip()
    while end < len(text):
        match = _TOKEN.match(text, end)
        if match is None:
            return [text[end:].split()[0]]
        tokens.append(next(group for group in match.groups() if group))
        end = match.end()
    return tokens
