"""Calls of functions with state, as the kernel writes and reads them: numbers little-endian, values as Arrow."""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from holdfast.workers.codec.arrow_batch import CallTimings, read_batch, write_batch

_HEAD = struct.Struct("<iiiiiqqq")
_CLOCK, _DRAIN = 1, 2
_FAILED = struct.Struct("<iiqi")


@dataclass(frozen=True)
class StatefulRequest:
    """Records in order, each with its key, time and size; keys with their state and timers; the times.

    `most` is how many bytes a state surely may take, `fullest` how many one takes at most with the records of its key.
    """

    most: int
    fullest: int
    owners: list[int]
    times: list[int]
    sizes: list[int]
    touched: list[int]
    states: list[bytes | None]
    timers: list[bytes | None]
    keys: pa.Array
    events: pa.Array
    now: int
    reach: int
    wall: int
    fires_wall: bool
    drains: bool
    """Whether `reach` is the clock's time, at the end of a drain."""


@dataclass(frozen=True)
class Failure:
    """Why a record failed, or, with a key, a timer."""

    record: int
    key: int
    time: int
    reason: str


class _Parts:
    """The parts of a call, one after the other."""

    def __init__(self, arguments: bytes) -> None:
        self._view = memoryview(arguments)
        self._at = _HEAD.size

    def _take(self, length: int) -> memoryview:
        part = self._view[self._at : self._at + length]
        self._at += length
        return part

    def numbers(self, code: str, count: int) -> list[int]:
        """So many numbers of a kind."""
        made = array(code)
        made.frombytes(self._take(count * made.itemsize))
        return _ordered(made).tolist()

    def documents(self, lengths: list[int]) -> list[bytes | None]:
        """Documents of these lengths; one that is negative stands for none."""
        return [None if length < 0 else bytes(self._take(length)) for length in lengths]

    def column(self) -> pa.Array | None:
        """A column behind its length, which is 0 if there is none."""
        (length,) = self.numbers("i", 1)
        return read_batch(bytes(self._take(length))).column(0) if length else None


def read_request(arguments: bytes) -> StatefulRequest:
    """What the kernel asks for."""
    parts = _Parts(arguments)
    records, keys, kind, most, fullest, now, reach, wall = _HEAD.unpack_from(arguments)
    owners, times, sizes = parts.numbers("i", records), parts.numbers("q", records), parts.numbers("i", records)
    touched = parts.numbers("q", keys)
    state_lengths, timer_lengths = parts.numbers("i", keys), parts.numbers("i", keys)
    return StatefulRequest(
        most=most,
        fullest=fullest,
        owners=owners,
        times=times,
        sizes=sizes,
        touched=touched,
        states=parts.documents(state_lengths),
        timers=parts.documents(timer_lengths),
        keys=parts.column(),
        events=parts.column(),
        now=now,
        reach=reach,
        wall=wall,
        fires_wall=kind == _CLOCK,
        drains=kind == _DRAIN,
    )


def write_response(
    results: object,
    records: Sequence[int],
    fired: Sequence[tuple[int, int, int]],
    failures: Sequence[Failure],
    keys: Iterable[Sequence[int]],
    documents: Iterable[Sequence[bytes | None]],
    times: CallTimings,
) -> bytes:
    """What came of it; `fired` are results of timers: which result, key, time.

    `keys` are times: when each was used, what it waits for in event time, and by the clock.
    """
    stream = write_batch({"result": results}, times) if records else b""
    head = array("i", [len(records), len(fired), len(failures), len(stream)])
    parts = [_bytes(head), stream, _bytes(array("i", records))]
    for code, index in (("i", 0), ("i", 1), ("q", 2)):
        parts.append(_bytes(array(code, [each[index] for each in fired])))
    for each in failures:
        reason = each.reason.encode("utf-8", "replace")
        parts += [_FAILED.pack(each.record, each.key, each.time, len(reason)), reason]
    parts += [_bytes(array("q", numbers)) for numbers in keys]
    written = [[*each] for each in documents]
    parts += [_bytes(array("i", [-1 if one is None else len(one) for one in each])) for each in written]
    parts += [one for each in written for one in each if one is not None]
    return b"".join(parts)


def _bytes(numbers: array[int]) -> bytes:
    return _ordered(numbers).tobytes()


def _ordered(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
