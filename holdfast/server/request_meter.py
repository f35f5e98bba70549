"""What a server measures of itself: requests, connections, and how long answers take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Protocol

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.registry import Collector

from holdfast.server.limits import Limits
from holdfast.server.responses import Refusal
from holdfast.topics.histograms import SECONDS

LATER = "wait a little, and ask again"


class TimedConnection(Protocol):
    """A connection whose client is waited for no longer than the limits say."""

    def check_deadline(self, now: float) -> None:
        """Close the connection if its client has been waited for too long."""


class RequestMeter(Collector):
    """How many requests and connections there are and were; each server has a registry of its own."""

    def __init__(self) -> None:
        self.now = 0
        self.subscribers = 0
        self.connections: set[TimedConnection] = set()
        self.unread_transports: set[asyncio.WriteTransport] = set()
        self._registry = own = CollectorRegistry()
        self._answered = Counter("holdfast_requests_total", "requests answered", ["route", "status"], registry=own)
        now = Gauge("holdfast_requests_in_progress", "requests being answered", registry=own)
        now.set_function(lambda: self.now)
        connections = Gauge("holdfast_connections", "connections that are open", registry=own)
        connections.set_function(lambda: len(self.connections))
        subscribers = Gauge("holdfast_subscribers", "subscriptions that are open", registry=own)
        subscribers.set_function(lambda: self.subscribers)
        self.refused = Counter("holdfast_connections_refused_total", "connections beyond the limits", registry=own)
        self._seconds = Histogram(
            "holdfast_request_seconds", "how long an answer took", ["route"], buckets=SECONDS, registry=own
        )

    def unread(self) -> int:
        """How many bytes of answers wait in this process for clients to read them."""
        sizes = {each: each.get_write_buffer_size() for each in list(self.unread_transports)}
        self.unread_transports.intersection_update(each for each, size in sizes.items() if size)
        return sum(sizes.values())

    def refuse_unread(self, limits: Limits) -> None:
        """Refuse to make one more answer when too much waits to be read."""
        if (waiting := self.unread()) > limits.unread:
            raise Refusal(503, "busy", f"{waiting >> 20} MB of answers wait for clients that do not read them", LATER)

    def add(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answered.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recorder(self, route: str, status: int) -> Callable[[float], None]:
        """What counts answers of one kind, given their seconds; the labels are looked up once."""
        answered, seconds = self._answered.labels(route, str(status)), self._seconds.labels(route)

        def record(took: float) -> None:
            answered.inc()
            seconds.observe(took)

        return record

    def collect(self) -> Iterator[prometheus_client.Metric]:
        """Everything; without the times at which series began, which Prometheus would take for series of their own."""
        for metric in self._registry.collect():
            metric.samples = [each for each in metric.samples if not each.name.endswith("_created")]
            yield metric
