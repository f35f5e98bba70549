"""The size limit of a changelog: the kernel checks the states that may exceed it."""

from __future__ import annotations

import struct

from holdfast.errors import StateRefused
from holdfast.topology.runner_spec import Ask

NO_LIMIT = (1 << 31) - 1
_GROWTH = 4
_NUMBER = struct.Struct("<i")


def may_outgrow(most: int, fullest: int) -> bool:
    """Whether a state into which so many bytes go might be too large for a while, whatever it is in the end.

    >>> may_outgrow(1000, 100), may_outgrow(1000, 400), may_outgrow(NO_LIMIT, 1 << 30)
    (False, True, False)
    """
    return most != NO_LIMIT and fullest * _GROWTH > most


def headroom(most: int, size: int) -> int:
    """How many bytes a state of this size may take in before it is to be measured again."""
    return (most - size) // _GROWTH


def check_with_kernel(ask: Ask, number: int, state: bytes) -> None:
    """Ask the kernel about a state, whose number it knows; raise what it has against it."""
    reason = ask(_NUMBER.pack(number) + state)
    if reason:
        raise StateRefused(reason.decode())
