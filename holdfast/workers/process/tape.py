"""The tape: the steps of a fold that the kernel asks for in one call, and the answer."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from itertools import pairwise

import pyarrow as pa

from holdfast.workers.codec.arrow_batch import read_batch, write_batch

ADD, SUBTRACT, MERGE = 0, 1, 2
MADE, NOTHING, FAILED = 1, 2, 3
KIND, REQUESTED, PORTS = 3, 4, 8


class Tape:
    """What is to be done, in order: the number of a state is its place after nothing, which is 0, and the given states.

    `words` say what to do, `lefts` and `rights` with which states. `most` is how many bytes of JSON a state surely may
    take, `fullest` how many went into the one that most went into.
    """

    def __init__(self, message: bytes) -> None:
        count, self.given, inputs, self.most, self.fullest = struct.unpack_from("<5i", message)
        view = memoryview(message)
        ends = [20 + 4 * count * part for part in range(4)]
        self.words, self.lefts, self.rights = (_numbers(view[a:b]) for a, b in pairwise(ends))
        parts = _parts(view[ends[-1] :])
        self.keys = parts[0]
        self.values: list[pa.Array] = parts[1 : 1 + inputs]
        self.states: pa.Array = parts[1 + inputs]

    def __len__(self) -> int:
        return len(self.words)


def _numbers(view: memoryview) -> list[int]:
    return array("i", view.tobytes()).tolist()


def _parts(view: memoryview) -> list[pa.Array | None]:
    out: list[pa.Array | None] = []
    at = 0
    while at < len(view):
        (length,) = struct.unpack_from("<i", view, at)
        out.append(_column(view[at + 4 : at + 4 + length]) if length else None)
        at += 4 + length
    return out


def _column(view: memoryview) -> pa.Array:
    return read_batch(pa.py_buffer(view)).column(0)


def answer(outcomes: bytearray, states: bytes, reasons: Sequence[str]) -> bytes:
    """How each went, the states that the kernel asked for, and why those failed that did."""
    failures = write_batch({"reason": pa.array(reasons, pa.string())}) if reasons else b""
    return b"".join([outcomes, struct.pack("<i", len(states)), states, struct.pack("<i", len(failures)), failures])
