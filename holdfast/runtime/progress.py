"""Spark's progress report as a short summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypedDict

from holdfast.documents import Document
from holdfast.runtime.checkpoint import Offsets, topic_offsets
from holdfast.topics.own_topics import dead_letter_topic, replay_topic


class TopicProgress(TypedDict):
    """The progress of the last epoch in a topic."""

    records: int
    rate: float
    lag: int
    offset: int


class EpochProgress(TypedDict):
    """The progress of the last epoch; counts of output are since the start."""

    epoch: int | None
    batch_ms: int
    records: int
    rate: float
    topics: dict[str, TopicProgress]
    written: dict[str, int]
    dead_letters: int


class Progress(EpochProgress):
    """The progress of the last epoch, and the counts since the start."""

    dead_letter_reasons: dict[str, int]
    late: dict[str, int]
    skipped: dict[str, int]
    foreign: dict[str, int]
    python_seconds: dict[str, float]


def summary(app: str, report: Document | None, sent: Mapping[str, int], began: Offsets) -> EpochProgress:
    """The last epoch, its time, records, rate and lag per topic, and what was written since the start.

    `began` is where the app began to read: Spark's first report has no start.
    """
    base: EpochProgress = {
        "epoch": None, "batch_ms": 0, "records": 0, "rate": 0.0, "topics": {},
        "written": {topic: count for topic, count in sent.items() if not topic.startswith(f"{app}-")},
        "dead_letters": sent.get(dead_letter_topic(app), 0),
    }  # fmt: skip
    if report is None:
        return base
    # While nothing comes Spark reports on the epoch to be, now and then.
    ran = "addBatch" in report["durationMs"]
    epoch = report["batchId"] if ran else report["batchId"] - 1
    seconds = max(report["batchDuration"], 1) / 1000
    topics = dict(_topics(report["sources"], began, seconds))
    if (replay := topics.get(replay_topic(app))) and not replay["offset"]:
        del topics[replay_topic(app)]  # most apps never have anything to replay
    records = sum(topic["records"] for topic in topics.values()) + _rows_of_frames(report["sources"])
    return {
        **base,
        "epoch": None if epoch < 0 else epoch,
        "batch_ms": report["batchDuration"] if ran else 0,
        "records": records,
        "rate": records / seconds,
        "topics": topics,
    }


def _topics(sources: list[Document], began: Offsets, seconds: float) -> Iterator[tuple[str, TopicProgress]]:
    for source in sources:
        end = topic_offsets(source.get("endOffset"))
        start, latest = topic_offsets(source.get("startOffset")) or began, topic_offsets(source.get("latestOffset"))
        for topic, parts in end.items():
            # A partition that was added later is read from its beginning.
            records = sum(at - start.get(topic, {}).get(p, 0) for p, at in parts.items())
            lag = sum(max(0, latest.get(topic, {}).get(p, at) - at) for p, at in parts.items())
            yield (
                topic,
                {"records": records, "rate": records / seconds, "lag": lag, "offset": sum(parts.values())},
            )


def _rows_of_frames(sources: list[Document]) -> int:
    """Rows of DataFrames; those of topics are counted by offsets, because Spark counts copies, too."""
    return sum(source["numInputRows"] for source in sources if not topic_offsets(source.get("endOffset")))
