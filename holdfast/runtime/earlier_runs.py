"""What earlier runs of an app have left: transactions that are open, and epochs that its checkpoint does not have."""

from __future__ import annotations

import logging
from typing import Any

from holdfast.dsl.app import App
from holdfast.runtime.topics import epoch_topic, marker_topic
from holdfast.spark import kernel

log = logging.getLogger("holdfast.runtime")


def epochs_to_repeat(app: App, options: dict[str, Any]) -> int:
    """End the transactions that are open; give the number of epochs that ran since the checkpoint was copied.

    A copy of the checkpoint of any age goes on: its batches end where those of the run before did, and what is written
    of them is not written again.
    """
    jvm = kernel.gateway().jvm.io.holdfast.kernel
    kafka = options["kafka"]
    kernel.call(lambda: jvm.sink.Fencing.fence(marker_topic(app.name), kafka))
    checkpoint, topics_only = options["checkpoint"], not app.dataframes
    found = int(
        kernel.call(lambda: jvm.source.EpochLog.open(app.name, epoch_topic(app.name), kafka, checkpoint, topics_only))
    )
    if found:
        log.warning(
            "the checkpoint of %s is an older copy: %d epochs ran after it; they are repeated, and their output, "
            "which is there, is not written again",
            app.name,
            found,
        )
    return found
