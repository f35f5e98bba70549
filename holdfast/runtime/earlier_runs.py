"""Leftovers of earlier runs of an app: open transactions, and epochs that the checkpoint does not have."""

from __future__ import annotations

import logging

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.plan.program_digest import program_digest
from holdfast.spark import kernel
from holdfast.topics.own_topics import epoch_topic, marker_topic
from holdfast.topology.graph import Topology

log = logging.getLogger("holdfast.runtime")


def epochs_to_repeat(app: App, run_plan: Topology, options: Document) -> int:
    """End the transactions that are open; give the number of epochs that ran since the checkpoint was copied.

    A copy of the checkpoint of any age goes on: its batches end where those of the run before did, and what is written
    of them is not written again. Each of them is repeated by the program that ran it.
    """
    jvm = kernel.gateway().jvm.io.holdfast.kernel
    kafka = options["kafka"]
    kernel.call(lambda: jvm.sink.Fencing.fence(marker_topic(app.name), kafka))
    place = (kafka, options["checkpoint"], not app.dataframes)
    found = int(
        kernel.call(lambda: jvm.source.EpochLog.open(app.name, program_digest(run_plan), epoch_topic(app.name), *place))
    )
    if found:
        # A checkpoint without any epoch does not say how many sink partitions the epochs had that are repeated.
        options["width"] = options["width"] or kernel.call(lambda: jvm.source.EpochLog.width(app.name)) or None
        log.warning(
            "the checkpoint of %s is an older copy: %d epochs ran after it; they are repeated, and their output, "
            "which is there, is not written again",
            app.name,
            found,
        )
    return found
