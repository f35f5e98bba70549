"""From an app to a running query: check, prepare, publish, run."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.dsl.app import App
from holdfast.errors import HoldfastError
from holdfast.runtime import lock
from holdfast.runtime.check import check
from holdfast.runtime.launch import launch
from holdfast.runtime.lease import Lease
from holdfast.runtime.prepare import prepare
from holdfast.runtime.publish import publish
from holdfast.runtime.request import StartRequest, settings_for
from holdfast.runtime.running import Running
from holdfast.runtime.telemetry import Telemetry
from holdfast.spark import kernel

if TYPE_CHECKING:
    from holdfast.spark.session import SparkSession


def start(
    app: App,
    spark: SparkSession | None = None,
    *,
    brokers: str | None = None,
    mode: str | None = None,
    skip_lost: bool = False,
    idle_ms: int | None = None,
) -> Running:
    """Start an app and return at once; `spark` is a PySpark session of the user's own.

    `skip_lost` goes on without records that Kafka has deleted before they were read; `idle_ms` does what is over by the
    clock when nothing has come for so long, as a drain does at its end.
    """
    request = StartRequest(app, settings_for(app.settings, brokers, mode), spark, skip_lost, idle_ms)
    with _room_on_disk():
        held = lock.hold(request.home.directory, app.name)
        lease = Lease(app.name, request.brokers, request.kafka, request.meta)
        try:
            return _start(request, held, lease)
        except BaseException:
            lease.release()
            held.release()
            raise


def _start(request: StartRequest, held: lock.Lock, lease: Lease) -> Running:
    checked = check(request, lease)
    prepared = prepare(request, checked, lease)
    publish(request, checked, prepared)
    query = launch(request, checked, prepared)
    telemetry = Telemetry(request, query).start() if request.settings.telemetry else None
    return Running(request.app.name, query, held, prepared.created, lease, checked.changes, telemetry)


def run(app: App) -> None:
    """Start an app and wait for its end; Ctrl-C finishes the epoch."""
    running = start(app)
    try:
        running.wait()
    except KeyboardInterrupt:
        running.stop()


@contextlib.contextmanager
def _room_on_disk() -> Iterator[None]:
    """Say what to do when a file cannot be written for want of room."""
    try:
        yield
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        raise HoldfastError(kernel.DISK_FULL) from None
