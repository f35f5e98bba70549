"""What a server measures of itself: requests, connections, and how long answers take."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import Collector

from holdfast.server.limits import Limits
from holdfast.server.responses import Refused
from holdfast.topics.histograms import SECONDS

LATER = "wait a little, and ask again"


class Requests(Collector):
    """How many requests and connections there are and were; each server has a registry of its own."""

    def __init__(self) -> None:
        self.now = 0
        self.connections = 0
        self.unread: Callable[[], int] = lambda: 0
        self._registry = own = CollectorRegistry()
        self._answered = Counter("holdfast_requests_total", "requests answered", ["route", "status"], registry=own)
        now = Gauge("holdfast_requests_in_progress", "requests being answered", registry=own)
        now.set_function(lambda: self.now)
        connections = Gauge("holdfast_connections", "connections that are open", registry=own)
        connections.set_function(lambda: self.connections)
        self.refused = Counter("holdfast_connections_refused_total", "connections beyond the limits", registry=own)
        self._seconds = Histogram(
            "holdfast_request_seconds", "how long an answer took", ["route"], buckets=SECONDS, registry=own
        )

    def refuse_unread(self, limits: Limits) -> None:
        """Refuse to make one more answer when too much waits to be read."""
        if (waiting := self.unread()) > limits.unread:
            raise Refused(503, "busy", f"{waiting >> 20} MB of answers wait for clients that do not read them", LATER)

    def add(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answered.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def collect(self) -> Iterator[prometheus_client.Metric]:
        """Everything; without the times at which series began, which Prometheus would take for series of their own."""
        for metric in self._registry.collect():
            metric.samples = [each for each in metric.samples if not each.name.endswith("_created")]
            yield metric
