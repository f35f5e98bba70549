"""A running app publishes what it measures, so that servers on any machine can show it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import uuid

from holdfast.documents import Document
from holdfast.errors import HoldfastError
from holdfast.runtime.meter import Meter
from holdfast.runtime.query import Query
from holdfast.runtime.request import StartRequest
from holdfast.topics.client import LOGGER, client_settings
from holdfast.topics.telemetry import EPOCHS, telemetry_record
from holdfast.topics.transfer import send

_EVERY = 1.0
_QUIET = 10.0
_FLUSH = 2.0

log = logging.getLogger("holdfast.runtime")


class Telemetry:
    """Publishes once a second if an epoch has ended, else every ten seconds, and at the end; it never fails the app."""

    def __init__(self, request: StartRequest, query: Query) -> None:
        from confluent_kafka import Producer

        self._app = request.settings.name
        settings = request.settings
        self._meter = Meter(self._app, query, request.home.checkpoint, settings.stalled_after_ms / 1000)
        self._head: Document = {"run": uuid.uuid4().hex[:12], "began": _now(), "mode": settings.mode}
        few = {"queue.buffering.max.messages": 100, "message.timeout.ms": 10_000}
        kafka = client_settings(request.brokers, request.kafka, acks=1, **{"compression.type": "gzip"}, **few)
        self._producer: Producer | None = Producer(kafka, logger=LOGGER)
        self._said = (-2, "", 0.0)
        self._published = -1
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="holdfast-telemetry", daemon=True)

    def start(self) -> Telemetry:
        """Begin to publish."""
        self._thread.start()
        return self

    def stop(self, status: str = "stopped", problem: str | None = None) -> None:
        """Publish how the app has ended, once."""
        if self._stop.is_set():
            return
        self._stop.set()
        self._thread.join()
        before = self._meter.document()
        self._look()
        after = self._meter.document()
        # The kernel may have forgotten its counters with the end of the query.
        self._publish(status, problem, after if _records(after) >= _records(before) else before)
        if self._producer is not None:
            self._producer.flush(_FLUSH)
        self._producer = None  # its threads and connections end with it

    def _run(self) -> None:
        self._publish("running", None)
        while not self._stop.wait(_EVERY):
            self._look()
            problem = self._meter.problem()
            epoch, said, at = self._said
            if self._meter.epoch != epoch or (problem or "") != said or time.monotonic() - at > _QUIET:
                self._publish("running", problem)

    def _look(self) -> None:
        with contextlib.suppress(HoldfastError):  # whoever waits for the app learns of its end
            self._meter.look()

    def _publish(self, status: str, problem: str | None, measured: Document | None = None) -> None:
        self._said = (self._meter.epoch, problem or "", time.monotonic())
        epochs = self._meter.epochs_after(self._published)[-EPOCHS:]
        figures = {**self._head, "status": status, "problem": problem, "last": epochs}
        figures |= self._meter.document() if measured is None else measured
        record = telemetry_record(self._app, _now(), figures)
        if record is None or self._producer is None:
            return
        try:
            send(self._producer, record, lambda *_: None)
        except HoldfastError as refused:
            log.debug("telemetry is not published: %s", refused)
        self._published = self._meter.epoch


def _records(measured: Document) -> int:
    taken: dict[str, int] = measured["taken"]
    return sum(taken.values())


def _now() -> int:
    return int(time.time() * 1000)
