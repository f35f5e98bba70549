"""The canonical form of scalar values."""

from __future__ import annotations

import struct
from decimal import Decimal, InvalidOperation, localcontext

from holdfast.workers.codec.column_encoder import WrongType


def encodes(text: str) -> bool:
    """Whether UTF-8 has a place for every character.

    >>> encodes("é"), encodes("\\ud800")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeError:
        return False
    return True


def text(text: str | None) -> str | None:
    """The text, which UTF-8 must have a place for."""
    if text is not None and not encodes(text):
        raise WrongType(f"result: {text!r} holds half of a character, which UTF-8 has no place for")
    return text


def is_single(number: float) -> bool:
    """Whether four bytes hold the number."""
    return single(number) == number or number != number


def single(number: float | None) -> float | None:
    """The number as four bytes hold it.

    >>> single(0.5), single(0.1) == 0.1
    (0.5, False)
    """
    try:
        return None if number is None else float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return float("inf") if number is not None and number > 0 else float("-inf")


def scaled(number: Decimal | int | None, precision: int, scale: int) -> Decimal | None:
    """The number with exactly so many digits after the point; one that does not fit is refused.

    >>> scaled(Decimal("1.5"), 5, 2)
    Decimal('1.50')
    """
    if number is None:
        return None
    with localcontext() as context:
        context.prec = 2 * precision
        try:
            made = Decimal(number).quantize(Decimal(1).scaleb(-scale))
        except InvalidOperation:
            raise WrongType(f"result: {number} does not fit decimal({precision},{scale})") from None
    if made != number or made.adjusted() >= precision - scale:
        raise WrongType(f"result: {number} does not fit decimal({precision},{scale})")
    return made
