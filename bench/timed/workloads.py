"""The data of each workload, the same every time, and the final result that it must give."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

START = 1_767_225_600_000  # 2026-01-01
Event = tuple[str, str, dict[str, Any], int]  # topic, key, value, time


@dataclass(frozen=True)
class Workload:
    """What is measured: its topics, its events and the final value per key."""

    name: str
    topics: tuple[str, ...]
    events: Callable[[int], Iterator[Event]]
    expected: Callable[[Iterable[Event]], dict[str, Any]]
    peers: tuple[str, ...] = ("ours", "kafka-streams")


@dataclass(frozen=True)
class Events:
    """So many events of a workload, made anew whenever they are looked through."""

    workload: Workload
    count: int

    def __iter__(self) -> Iterator[Event]:
        return self.workload.events(self.count)


def trades(count: int) -> Iterator[Event]:
    """Prices of a thousand stocks, ten a millisecond."""
    rng = random.Random(2)
    for i in range(count):
        yield "trades", f"S{rng.randrange(1000)}", {"price": rng.randrange(100, 10_000)}, START + i // 10


def clicks(count: int) -> Iterator[Event]:
    """Clicks of fifty thousand users, ten a millisecond."""
    rng = random.Random(3)
    for i in range(count):
        yield "clicks", f"U{rng.randrange(50_000)}", {"page": rng.randrange(100)}, START + i // 10


def orders_and_payments(count: int) -> Iterator[Event]:
    """Orders, each followed by its payment within two seconds."""
    rng = random.Random(4)
    waiting: list[tuple[int, str, int]] = []
    for i in range(count // 2):
        at = START + i // 5
        yield "orders", f"O{i}", {"amount": rng.randrange(1000)}, at
        waiting.append((at + rng.randrange(2000), f"O{i}", rng.randrange(1000)))
        if len(waiting) >= 20_000:
            waiting.sort()
            due = [each for each in waiting if each[0] <= at]
            yield from _payments(due)
            waiting = waiting[len(due) :]
    yield from _payments(sorted(waiting))


def _payments(due: list[tuple[int, str, int]]) -> Iterator[Event]:
    for at, key, paid in due:
        yield "payments", key, {"paid": paid}, at


def accounts_and_limits(count: int) -> Iterator[Event]:
    """Updates of two tables with a hundred thousand keys."""
    rng = random.Random(5)
    for i in range(count):
        key = f"A{rng.randrange(100_000)}"
        if i % 2:
            yield "limits", key, {"most": rng.randrange(10_000)}, START + i // 10
        else:
            yield "accounts", key, {"balance": rng.randrange(10_000)}, START + i // 10


def purchases_and_customers(count: int) -> Iterator[Event]:
    """Purchases that name a customer; now and then a customer changes his name."""
    rng = random.Random(6)
    for i in range(count):
        if i < 20_000 or i % 20 == 0:
            number = i if i < 20_000 else rng.randrange(20_000)
            yield "customers", f"C{number}", {"name": f"N{i}"}, START + i // 10
        else:
            bought = {"customer": f"C{rng.randrange(20_000)}", "amount": rng.randrange(1000)}
            yield "purchases", f"P{rng.randrange(200_000)}", bought, START + i // 10


def hopping(events: Iterable[Event]) -> dict[str, Any]:
    """Count and sum per stock and window of five seconds, one every second."""
    out: dict[str, list[int]] = {}
    for _, key, value, at in events:
        for n in range(5):
            both = out.setdefault(f"{key}@{at // 1000 * 1000 - n * 1000}", [0, 0])
            both[0] += 1
            both[1] += value["price"]
    return {key: [n, round(total / n, 6)] for key, (n, total) in out.items()}


def tumbling(events: Iterable[Event]) -> dict[str, Any]:
    """Count per stock and five seconds."""
    out: dict[str, int] = {}
    for _, key, _, at in events:
        window = f"{key}@{at // 5000 * 5000}"
        out[window] = out.get(window, 0) + 1
    return out


def sessions(events: Iterable[Event]) -> dict[str, Any]:
    """Clicks per session; a session ends with five seconds of silence."""
    now: dict[str, list[int]] = {}
    out: dict[str, int] = {}
    for _, key, _, at in events:
        session = now.get(key)
        if session is None or at - session[1] > 5000:
            session = now[key] = [at, at, 0]
        session[1] = at
        session[2] += 1
        out[f"{key}@{session[0]}"] = session[2]
    return out


def paid_in_time(events: Iterable[Event]) -> dict[str, Any]:
    """The orders that were paid within a second."""
    made = {key: (value, at) for topic, key, value, at in events if topic == "orders"}
    return {
        key: [made[key][0]["amount"], value["paid"]]
        for topic, key, value, at in events
        if topic == "payments" and at - made[key][1] <= 1000
    }


def both_tables(events: Iterable[Event]) -> dict[str, Any]:
    """The last balance with the last limit."""
    last: dict[str, dict[str, Any]] = {"accounts": {}, "limits": {}}
    for topic, key, value, _ in events:
        last[topic][key] = value
    left, right = last["accounts"], last["limits"]
    return {key: [left[key]["balance"], right[key]["most"]] for key in left.keys() & right.keys()}


def named_purchases(events: Iterable[Event]) -> dict[str, Any]:
    """The last purchase under each number with its customer's last name."""
    last: dict[str, dict[str, Any]] = {"purchases": {}, "customers": {}}
    for topic, key, value, _ in events:
        last[topic][key] = value
    return {
        key: [value["amount"], last["customers"][value["customer"]]["name"]] for key, value in last["purchases"].items()
    }


WORKLOADS = {
    each.name: each
    for each in (
        Workload("hopping", ("trades",), trades, hopping),
        Workload("tumbling", ("trades",), trades, tumbling, ("ours", "kafka-streams", "spark")),
        Workload("session", ("clicks",), clicks, sessions),
        Workload("stream-join", ("orders", "payments"), orders_and_payments, paid_in_time),
        Workload("table-join", ("accounts", "limits"), accounts_and_limits, both_tables),
        Workload("foreign-key", ("purchases", "customers"), purchases_and_customers, named_purchases),
    )
}


def encoded(event: Event) -> tuple[str, bytes, bytes, int]:
    """The event as it is written."""
    topic, key, value, at = event
    return topic, key.encode(), json.dumps(value).encode(), at
