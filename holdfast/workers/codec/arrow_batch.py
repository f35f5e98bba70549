"""A batch as a stream of Arrow's, and back."""

from __future__ import annotations

import time
from collections.abc import Mapping

import pyarrow as pa

TIMES = b"nanoseconds"


class CallTimings:
    """How long the parts of a call took, in nanoseconds: each `lap` ends a part and begins the next.

    >>> times = CallTimings()
    >>> times.lap("read")
    >>> [*times.parts]
    ['read']
    """

    def __init__(self) -> None:
        self.parts: dict[str, int] = {}
        self._since = time.perf_counter_ns()

    def lap(self, part: str) -> None:
        """Count the time since the last lap as this part's."""
        now = time.perf_counter_ns()
        self.parts[part] = self.parts.get(part, 0) + now - self._since
        self._since = now


def read_batch(stream: bytes) -> pa.RecordBatch:
    """The one batch of a stream."""
    with pa.ipc.open_stream(stream) as batches:
        return batches.read_next_batch()


def write_batch(columns: Mapping[str, pa.Array], times: CallTimings | None = None) -> bytes:
    """The columns as a stream of one batch; how long things took goes with its schema.

    >>> read_batch(write_batch({"n": pa.array([1])})).to_pylist()
    [{'n': 1}]
    """
    batch = pa.RecordBatch.from_arrays([*columns.values()], [*columns])
    if times:
        times.lap("write")
        timings = " ".join(f"{part}={nanoseconds}" for part, nanoseconds in times.parts.items())
        batch = batch.replace_schema_metadata({TIMES: timings.encode()})
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(out.getvalue())
