"""The interface of a running query, in batches or in real time."""

from __future__ import annotations

import time
from typing import Protocol

from holdfast.documents import Document

_POLL_SECONDS = 0.05


class Query(Protocol):
    """One app's query: watched, finished or aborted."""

    @property
    def active(self) -> bool:
        """Whether it still runs."""

    @property
    def busy(self) -> bool:
        """Whether an epoch is being worked on that has an end in sight."""

    def raise_failure(self) -> None:
        """Raise what ended the query, if anything did."""

    def finish(self, seconds: float = 120, *, drop_counts: bool = True) -> None:
        """Stop reading, let the running epoch end, then stop; `drop_counts` drops the query's counters."""

    def abort(self, *, drop_counts: bool = True) -> None:
        """Stop at once; the epoch in hand is repeated at the next start."""

    def progress(self) -> Document | None:
        """Spark's report on the last epoch, or None before the first."""

    def reports(self, after: int) -> list[Document]:
        """Spark's reports on the epochs that ran after the given one."""

    def measured(self) -> Document:
        """What the sink has counted and measured since the start."""

    def counted(self, kind: str) -> dict[str, int]:
        """How many records of each node were "late" or "skipped", or the "nanoseconds" of Python, since the start."""

    def reasons(self) -> dict[str, int]:
        """Dead letters per reason since the start."""

    def sent(self) -> dict[str, int]:
        """Records written per topic since the start."""


class EpochQuery(Query, Protocol):
    """A query that a `RealTimeQuery` can switch between: it reports its epoch, too."""

    @property
    def waiting(self) -> bool:
        """Whether it has looked for records and found none."""

    @property
    def repeating(self) -> bool:
        """Whether it has still to begin epochs that ran after its checkpoint was copied."""

    def live_offsets(self) -> tuple[Document, Document]:
        """How far an epoch that goes on has read, and how far the topics go."""


def wait_for_end(query: Query, seconds: float | None) -> bool:
    """Wait for the end of a query; false if the time passed first. A failure is raised."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while query.active:
        if deadline is not None and time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    query.raise_failure()
    return True
