"""What commands print: JSON for programs to read, and text of others' for people."""

import re

import click

from holdfast.stores import exact_json

# Control characters (C0, DEL, C1), marks that turn the direction of text, ends of lines, halves of a pair.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def readable(text: str, *, lines: bool = False) -> str:
    """Text that came from records or from Kafka, such that a terminal shows it and does nothing else.

    >>> readable("a\\x1b[2Jb\\n")
    'a\\\\x1b[2Jb\\\\n'

    With `lines` it may have several.
    """
    if lines:
        return "\n".join(map(readable, text.split("\n")))
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def json_line(answer: object) -> str:
    r"""An answer as one line of JSON, in which everything is escaped that a terminal might obey.

    >>> print(json_line({"a": "\x9b2J"}))
    {"a":"\u009b2J"}
    """
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", exact_json.dumps(answer).decode())


def as_json(answer: object) -> None:
    """Print an answer as one line of JSON."""
    click.echo(json_line(answer))
