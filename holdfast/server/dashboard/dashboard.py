"""What the page shows, in bounded memory: telemetry of the last hours, dead letters, sizes of stores."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque

from holdfast.documents import Document
from holdfast.server.dashboard.differences import Difference, numbers
from holdfast.server.dashboard.events import ERROR, INFO, Events
from holdfast.server.dashboard.letters import MOST, RecentLetters
from holdfast.server.dashboard.series import PEAK, RATE, Series
from holdfast.server.dashboard.topic_tail import Followed, TopicTail
from holdfast.stores.backend import Stores
from holdfast.topics.own_topics import dead_letter_topic, telemetry_topic
from holdfast.topics.records import Record
from holdfast.topics.telemetry import KEPT_HOURS, read_telemetry

_TIERS = ((1_000, 900), (10_000, 540), (60_000, 360))
_EPOCHS = 120
_SPAN_MS = 10_000
_SILENT_MS = 30_000


class Dashboard:
    """Answers what is known of an app; it follows the app's topics in a thread, unless others bring the news."""

    def __init__(self, stores: Stores, *, follows: bool = True) -> None:
        self._stores = stores
        self._lock = threading.Lock()
        self._restored: dict[str, int] = {}
        self.letters = RecentLetters()
        self._forget()
        followed = {
            telemetry_topic(stores.app): Followed(self._take, self._forget, hours=KEPT_HOURS),
            dead_letter_topic(stores.app): Followed(self.letters.add, self.letters.clear, last=MOST),
        }
        self._tail = TopicTail(stores.kafka, followed, self.look) if follows else None

    def start(self) -> None:
        """Begin to follow."""
        if self._tail is not None:
            self._tail.start()

    def stop(self) -> None:
        """End."""
        if self._tail is not None:
            self._tail.stop()

    def _forget(self) -> None:
        with self._lock:
            self._series, self._stores_series = Series(*_TIERS), Series(*_TIERS)
            self._events = Events()
            self._epochs: deque[Document] = deque(maxlen=_EPOCHS)
            self._recent: deque[Document] = deque(maxlen=20)
            self._restored = {}

    def _take(self, record: Record) -> None:
        found = read_telemetry(record.value)
        if found is not None:
            with contextlib.suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                self.add(found)  # what looks like telemetry and is none, somebody else has written

    def add(self, found: Document) -> None:
        """Take in a record of the app's telemetry."""
        with self._lock:
            before = self._recent[-1] if self._recent else None
            self._events.compare(before, found)
            if before is not None and before["run"] != found["run"]:
                self._recent.clear()
                before = None
            if before is not None and found["at"] > before["at"]:
                near = [each for each in self._recent if found["at"] - each["at"] <= _SPAN_MS]
                self._series.add(found["at"], _measured(Difference(before, found)) | _sizes([*near, found]))
            self._recent.append(found)
            self._epochs.extend({**epoch, "run": found["run"]} for epoch in found.get("last") or ())

    def look(self) -> None:
        """Note how large the stores are, and whether one was restored."""
        with self._stores.replica.reading() as snapshot:
            sizes: dict[str, float] = {}
            for name in sorted(self._stores.catalog.stores):
                sizes[f"rows/{name}"], sizes[f"bytes/{name}"] = snapshot.rows_here(name), snapshot.size(name)
        now, restores = _now(), self._stores.follower.restores
        with self._lock:
            self._stores_series.add(now, sizes)
            for name, count in restores.items():
                if count > self._restored.get(name, 0):
                    self._events.add(now, INFO, "restored", f"store {name} is restored from its changelog")
                    self._restored[name] = count

    def history(self, since: int, step: int) -> Document:
        """Points of time with their figures."""
        with self._lock:
            return {
                "now": _now(),
                "app": self._series.columns(since, step),
                "stores": self._stores_series.columns(since, step),
            }

    def now(self) -> Document:
        """The last figures."""
        now = _now()
        with self._lock:
            last = self._recent[-1] if self._recent else None
            base = next((each for each in self._recent if last and last["at"] - each["at"] <= _SPAN_MS), None)
            events, epochs = [event.to_json() for event in self._events], list(self._epochs)
        silent = _silent(last, now)
        if silent:
            events.append({"at": (last or {})["at"], "until": now, "level": ERROR, "kind": "silent", "text": silent,
                           "count": 1, "more": None})  # fmt: skip
        return {
            "now": now,
            "app": None if last is None else _status(last, silent),
            "figures": None if last is None else _figures(last, base or last),
            "events": sorted(events, key=lambda each: -each["until"]),
            "epochs": epochs,
        }


def _silent(last: Document | None, now: int) -> str | None:
    """What to say of an app that neither runs nor has said that it ends."""
    if last is None or last.get("status") != "running" or now - last["at"] < _SILENT_MS:
        return None
    return f"the app has said nothing for {(now - last['at']) // 1000} s"


def _status(last: Document, silent: str | None) -> Document:
    names = ("run", "began", "mode", "status", "problem", "epoch", "at")
    found = {name: last.get(name) for name in names}
    return {**found, "status": "silent", "problem": silent} if silent else found


def _measured(made: Difference) -> dict[str, float]:
    """The figures of one step, by the names that they have over time."""
    after = made.after
    read, written = made.rates("records"), made.rates("written")
    found = {f"{RATE}read": sum(read.values()), f"{RATE}written": sum(written.values())}
    found["lag"] = sum(numbers(after, "lag").values())
    found[f"{RATE}late"] = sum(made.rates("late").values())
    found[f"{RATE}dead"] = sum(made.rates("dead").values())
    if quantiles := made.quantiles("latency", 0.5, 0.99):
        found[f"{PEAK}latency-50"], found[f"{PEAK}latency-99"] = quantiles
    spent = [epoch["ms"] / 1000 for epoch in after.get("last") or ()]
    if spent:
        found[f"{PEAK}epoch"] = max(spent)
    found |= {f"{RATE}read/{topic}": rate for topic, rate in read.items()}
    found |= {f"lag/{topic}": records for topic, records in numbers(after, "lag").items()}
    found |= {f"behind/{node}": after["at"] / 1000 - at for node, at in numbers(after, "source_time").items()}
    return found


def _sizes(near: list[Document]) -> dict[str, float]:
    """The largest size of each stage's state lately: RocksDB reports less of it in epochs in which it did little."""
    found: dict[str, float] = {}
    for record in near:
        for stage, sizes in (record.get("state") or {}).items():
            name = f"state/{stage}"
            found[name] = max(found.get(name, 0), sizes["disk"] + sizes["memory"])
    return found


def _figures(last: Document, base: Document) -> Document:
    """Rates of the last seconds, by topic and by node, with the counts since the start."""
    made = Difference(base, last)
    taken, busy = made.rates("taken"), made.rates("busy")
    nodes = {
        node: {
            "rate": rate, "taken": numbers(last, "taken")[node], "busy": busy.get(node, 0.0),
            "micros": 1e6 * numbers(last, "busy").get(node, 0.0) / max(1, numbers(last, "taken")[node]),
        }
        for node, rate in taken.items()
    }  # fmt: skip
    topics = {
        topic: {"rate": rate, "records": numbers(last, "records")[topic], "lag": numbers(last, "lag").get(topic)}
        for topic, rate in made.rates("records").items()
    }
    written = {topic: {"rate": rate, "records": numbers(last, "written")[topic]}
               for topic, rate in made.rates("written").items()}  # fmt: skip
    return {
        "seconds": made.seconds, "nodes": nodes, "topics": topics, "written": written,
        "inputs": made.rates("by_input"), "source_time": numbers(last, "source_time"), "late": numbers(last, "late"),
        "late_rate": made.rates("late"), "skipped": numbers(last, "skipped"), "reasons": numbers(last, "dead"),
        "dead": last.get("dead_total", 0), "state": last.get("state") or {},
        "stage_time": numbers(last, "time"),
    }  # fmt: skip


def _now() -> int:
    return int(time.time() * 1000)
