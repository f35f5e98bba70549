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
    """Records in order, each with its key, time and size; keys with what is kept of them; the times.

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


def read_request(arguments: bytes) -> StatefulRequest:
    """What the kernel asks for."""
    view, at = memoryview(arguments), _HEAD.size
    records, keys, kind, most, fullest, now, reach, wall = _HEAD.unpack_from(view)

    def numbers(code: str, count: int) -> list[int]:
        nonlocal at
        made = array(code)
        made.frombytes(view[at : at + count * made.itemsize])
        at += count * made.itemsize
        return _ordered(made).tolist()

    def documents(lengths: list[int]) -> list[bytes | None]:
        nonlocal at
        found: list[bytes | None] = []
        for length in lengths:
            found.append(None if length < 0 else bytes(view[at : at + length]))
            at += max(length, 0)
        return found

    owners, times, sizes = numbers("i", records), numbers("q", records), numbers("i", records)
    touched = numbers("q", keys)
    state_lengths, timer_lengths = numbers("i", keys), numbers("i", keys)
    states, timers = documents(state_lengths), documents(timer_lengths)
    columns = []
    for _ in range(2):
        (length,) = numbers("i", 1)
        columns.append(_column(view[at : at + length]) if length else None)
        at += length
    key_column, events = columns
    return StatefulRequest(
        most,
        fullest,
        owners,
        times,
        sizes,
        touched,
        states,
        timers,
        key_column,
        events,
        now,
        reach,
        wall,
        fires_wall=kind == _CLOCK,
        drains=kind == _DRAIN,
    )


def _column(stream: memoryview) -> pa.Array:
    return read_batch(bytes(stream)).column(0)


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
