"""Second step of a start: create topics, take the lease, fence earlier runs."""

from __future__ import annotations

import json
from dataclasses import dataclass

from holdfast.documents import Document
from holdfast.runtime import offsets
from holdfast.runtime.check import CheckedProgram
from holdfast.runtime.checkpoint import partitions
from holdfast.runtime.earlier_runs import epochs_to_repeat
from holdfast.runtime.epochs import Offsets, changelog_ends
from holdfast.runtime.lease import Lease
from holdfast.runtime.request import StartRequest
from holdfast.runtime.topics import delete_epochs, ensure_topics, partitions_of
from holdfast.topics.client import java_settings
from holdfast.topics.own_topics import marker_topic


@dataclass(frozen=True)
class PreparedProgram:
    """An app whose query can begin."""

    is_new: bool
    """Whether it begins without a checkpoint."""
    created: list[str]
    """The topics that were missing."""
    options: Document
    """The kernel's options of the query."""
    repeated: int
    """How many epochs ran after its checkpoint was copied, and are repeated."""
    changelog_ends: Offsets


def prepare(request: StartRequest, checked: CheckedProgram, lease: Lease) -> PreparedProgram:
    """Create missing topics, and take the lease."""
    is_new = not request.home.checkpoint.exists()
    if is_new:
        delete_epochs(request.topics, checked.plan)
    created = ensure_topics(request.topics, checked.plan, request.settings.telemetry)
    lease.take()
    options = _options(request, checked)
    repeated = epochs_to_repeat(request.app, checked.run_plan, options)
    ends = changelog_ends(request.brokers, request.kafka, checked.plan)
    options["sink"]["ends"] = json.dumps(ends)
    return PreparedProgram(is_new, created, options, repeated, ends)


def _options(request: StartRequest, checked: CheckedProgram) -> Document:
    settings, checkpoint = request.settings, request.home.checkpoint
    source: Document = {
        **offsets.starting(settings.auto_offset_reset, checked.plan, partitions_of(request.topics, checked.plan)),
        "maxRecords": settings.max_records,
        "maxBytes": settings.max_bytes,
        "failOnDataLoss": not request.skip_lost,
        "closing": request.idle_ms is not None,
    }
    return {
        "name": settings.name,
        "checkpoint": checkpoint.absolute().as_uri(),
        "width": partitions(checkpoint),
        "trigger": "available-now" if settings.mode == "drain" else settings.trigger_ms,
        "kafka": {**java_settings(request.kafka), "bootstrap.servers": settings.brokers},
        "source": source,
        "sink": {"meta": request.meta, "markers": marker_topic(settings.name)},
    }
