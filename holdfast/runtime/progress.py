"""Spark's progress report as a short summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from holdfast.runtime.topics import dead_letter_topic


def summary(app: str, report: Mapping[str, Any] | None, sent: Mapping[str, int]) -> dict[str, Any]:
    """Epoch, batch time, rate and lag per topic, what was written."""
    written = {topic: count for topic, count in sent.items() if not topic.startswith(f"{app}-")}
    base: dict[str, Any] = {
        "epoch": None, "batch_ms": 0, "records": 0, "rate": 0.0, "topics": {},
        "written": written, "dead_letters": sent.get(dead_letter_topic(app), 0),
    }  # fmt: skip
    if report is None:
        return base
    source = report["sources"][0]
    seconds = max(report["batchDuration"], 1) / 1000
    return {
        **base,
        "epoch": report["batchId"],
        "batch_ms": report["batchDuration"],
        "records": report["numInputRows"],
        "rate": report["numInputRows"] / seconds,
        "topics": _topics(source, seconds),
    }


def _topics(source: Mapping[str, Any], seconds: float) -> dict[str, dict[str, float]]:
    start, end, latest = (_offsets(source.get(name)) for name in ("startOffset", "endOffset", "latestOffset"))
    return {
        topic: {
            "rate": sum(at - start.get(topic, {}).get(p, 0) for p, at in parts.items()) / seconds,
            "lag": sum(max(0, latest.get(topic, {}).get(p, at) - at) for p, at in parts.items()),
        }
        for topic, parts in end.items()
    }


def _offsets(found: Any) -> dict[str, dict[str, int]]:
    return (json.loads(found) if isinstance(found, str) else found) or {}
