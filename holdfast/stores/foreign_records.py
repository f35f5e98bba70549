"""Records in the topics of an app that it did not write."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping

from holdfast.stores.changelog import Change

log = logging.getLogger("holdfast.stores")


class ForeignRecords:
    """Counts records that are skipped, by topic; says so once for each topic and reason."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._logged: set[tuple[str, str]] = set()

    def skip(self, change: Change, reason: str, detail: object = "") -> None:
        """Count a record; `reason` is the same for all records of a kind, `detail` is not."""
        topic = change.partition.topic
        self._counts[topic] += 1
        if (topic, reason) not in self._logged:
            self._logged.add((topic, reason))
            more = f" ({detail})" if detail else ""
            log.warning(
                "%s, partition %d, offset %d: skipped, not a record of the app: %s%s; others like it are only counted",
                *change.partition, change.offset, reason, more,
            )  # fmt: skip

    @property
    def by_topic(self) -> Mapping[str, int]:
        """How many were skipped of each topic that had any."""
        return dict(self._counts)

    @property
    def count(self) -> int:
        """How many were skipped."""
        return sum(self._counts.copy().values())
