"""A steady load of score events, and how long each of them took to be seen in the output.

Scores only grow, so that every event enters the best of its product: it is seen with the first output of that product
whose best score is not below its own.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

from holdfast.topics.admin import Topics

_SCORE = re.compile(rb'"score" *: *(\d+)')


@dataclass
class Latencies:
    """Milliseconds from the time of an event to its being seen, over all that were sent after the warm-up."""

    records: int
    unseen: int
    p50: float
    p99: float
    p999: float
    longest: float

    def summary(self) -> str:
        """In words."""
        lost = f", {self.unseen} NOT SEEN" if self.unseen else ""
        most = f"p50 {self.p50:.0f} p99 {self.p99:.0f} p99.9 {self.p999:.0f} max {self.longest:.0f} ms"
        return f"{most} of {self.records:,}{lost}"


class Load:
    """Writes `rate` events a second, evenly, and reads what comes of them as a `read_committed` consumer."""

    def __init__(self, topics: Topics, source: str, out: str, rate: float, *, products: int = 100, players: int = 1000):
        self._source, self._rate, self._products, self._players = source, rate, products, players
        self._brokers = topics.brokers
        self._partitions = topics.describe([source])[0].partitions
        self._stop = threading.Event()
        self._pending: list[deque[tuple[int, float]]] = [deque() for _ in range(products)]
        self._seen: list[tuple[float, float]] = []  # when it was sent, how long it took
        self._failure: Exception | None = None
        self._consumer = _consumer(topics, out)
        self._threads = [threading.Thread(target=self._guarded, args=(each,)) for each in (self._read, self._write)]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def measure(self, warm: float, seconds: float, timeout: float = 180) -> Latencies:
        """Wait for the first result and so many seconds more, then take all that is sent in the next `seconds`."""
        deadline = time.time() + timeout
        while not self._seen:
            self._check()
            if time.time() > deadline:
                raise RuntimeError(f"no result in {timeout} s")
            time.sleep(0.1)
        begin = time.time() + warm
        end = begin + seconds
        while time.time() < end:
            self._check()
            time.sleep(0.1)
        while self._open(begin, end) and time.time() < end + timeout:
            self._check()
            time.sleep(0.1)
        return self._summary(begin, end)

    def _open(self, begin: float, end: float) -> int:
        return sum(begin <= sent < end for queue in self._pending for _, sent in list(queue))

    def _summary(self, begin: float, end: float) -> Latencies:
        found = sorted(took * 1000 for sent, took in list(self._seen) if begin <= sent < end)
        at = [found[min(len(found) - 1, int(len(found) * share))] for share in (0.5, 0.99, 0.999)]
        return Latencies(len(found), self._open(begin, end), *(round(each, 1) for each in [*at, found[-1]]))

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _guarded(self, work: Any) -> None:
        try:
            work()
        except Exception as failure:
            self._failure = failure

    def _write(self) -> None:
        from confluent_kafka import Producer

        # A request for each of thousands of records a second would keep the broker busy with nothing but them.
        producer = Producer({"bootstrap.servers": self._brokers, "linger.ms": 0 if self._rate <= 1000 else 2})
        began = time.time()
        number = 0
        while not self._stop.is_set():
            while number < (time.time() - began) * self._rate:
                number += 1
                product = number * 7919 % self._products
                value = b'{"score": %d, "product_id": %d, "player_id": %d}' % (
                    number, product, number * 104_729 % self._players,
                )  # fmt: skip
                now = time.time()
                self._pending[product].append((number, now))
                producer.produce(self._source, value, partition=number % self._partitions, timestamp=int(now * 1000))
            producer.poll(0)
            time.sleep(max(0.0005, began + (number + 1) / self._rate - time.time()))
        producer.flush(30)

    def _read(self) -> None:
        while not self._stop.is_set():
            message = self._consumer.poll(0.1)
            if message is None:
                continue
            if message.error():
                raise RuntimeError(message.error().str())
            now = time.time()
            self._take(int(message.key()), max(map(int, _SCORE.findall(message.value() or b"")), default=0), now)
        self._consumer.close()

    def _take(self, product: int, best: int, now: float) -> None:
        queue = self._pending[product]
        while queue and queue[0][0] <= best:
            _, sent = queue.popleft()
            self._seen.append((sent, now - sent))


def _consumer(topics: Topics, out: str) -> Any:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": topics.brokers, "group.id": "bench-load", "isolation.level": "read_committed",
            "enable.auto.commit": False, "auto.offset.reset": "earliest",
        }
    )  # fmt: skip
    consumer.assign([TopicPartition(out, p, 0) for p in range(topics.describe([out])[0].partitions)])
    return consumer
