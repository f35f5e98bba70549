"""A leaderboard's stores, published to a real broker and served over a real port."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Literal, NotRequired, TypedDict

import httpx
import pytest

import holdfast as hf
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from holdfast.topics.windowed import windowed_type
from holdfast.types import STRING
from tests.stores.publisher import Publisher, record

ENTRY = record(playerId="long", playerName="string", score="long")
BOARDS = {
    1: [
        {"playerId": 3, "playerName": "Isabelle", "score": 4000},
        {"playerId": 2, "playerName": "Mitch", "score": 2000},
    ],
    6: [{"playerId": 3, "playerName": "Isabelle", "score": 9000}],
}
QUERY = "0123abcd-4567-4000-8000-000000000000"
NAMES = ["", "a", "a b", "a/b", "a%2Fb", "a?b=c&d#e", "grüße", "日本", "..", "x\x00y", "+1", "long" * 200]


def hour_of(user, hour):
    """A key in a window, as a topic has it."""
    return {"key": user, "start": hour * 3_600_000, "end": (hour + 1) * 3_600_000}


class Colour(Enum):
    RED = "red"


@dataclass
class Order:
    id: int
    note: str = ""


class Address(TypedDict):
    street: str
    number: NotRequired[int]


@dataclass
class Delivery:
    to: Address
    orders: list[Order]
    amount: Decimal
    colour: Colour = Colour.RED
    how: Literal["fast", "slow"] = "slow"
    on: date | None = None


def make_app(name):
    app = hf.App(name)
    app.stream("clicks", str, key=int).group_by_key().count(store="numbers")
    app.stream("scores", str, key=int).group_by_key().count(store="leaderboard")
    app.stream("visits", str, key=str).group_by_key().count(store="visits")
    app.stream("works", str, key=str).group_by_key().windowed_by(hf.tumbling("1 hour")).count(store="hours")
    boards, visits, hours = app.store("leaderboard"), app.store("visits"), app.store("hours")

    @app.get("/leaderboard")
    def every_game():
        return dict(boards.all())

    @app.get("/leaderboard/{product_id}")
    def one_game(product_id: int):
        return boards[product_id]

    @app.get("/async/{product_id}")
    async def later(product_id: int, twice: bool = False):
        return [boards[product_id]] * (2 if twice else 1)

    @app.get("/visits")
    def all_visits():
        return dict(visits.all())

    @app.get("/hours/{user}")
    def hours_of(user: str, since: int = 0):
        return list(hours.windows(user, since))

    @app.get("/hours-of-all")
    def all_hours():
        return dict(hours.all())

    @app.get("/echo/{when}")
    def echo(when: datetime, colour: Colour = Colour.RED, n: list[int] = [], order: Literal["up", "down"] = "up",  # noqa: B006
             amount: Decimal | None = None, text: str | None = None):  # fmt: skip
        return {"when": when, "colour": colour, "n": n, "order": order, "amount": amount, "text": text}

    @app.get("/needs")
    def needs(n: int):
        return n

    @app.get("/values")
    def every_kind():
        return {"order": Order(1), "when": datetime(2026, 1, 1, tzinfo=UTC), "amount": Decimal("1.10"), "raw": b"hi",
                "items": (n for n in range(3)), 7: None}  # fmt: skip

    @app.get("/broken")
    def broken():
        raise RuntimeError("secret")

    @app.get("/unserialisable")
    def unserialisable():
        return object()

    @app.post("/orders")
    def take(order: Order):
        return {"taken": order}

    @app.post("/deliveries")
    def deliver(delivery: Delivery):
        return delivery

    async def hello(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": scope["path"].encode()})

    app.mount("/mounted", hello)
    return app


@pytest.fixture(scope="session")
def published(broker):
    publisher = Publisher(broker.address)
    program = hf.App(publisher.name)
    program.stream("scores", int, key=str)
    nodes = [{**node, "place": -1} for node in program.topology.json()["nodes"]]
    publisher.publish(
        nodes,
        leaderboard=("long", {"type": "array", "elementType": ENTRY, "containsNull": True}),
        numbers=("long", "long"),
        names=("string", "long"),
        visits=(record(user="string", page="long"), "long"),
        times=("timestamp", "string"),
        hours=(windowed_type(STRING).to_json(), "long"),
    )
    publisher.query = QUERY
    publisher.put("leaderboard", [*BOARDS.items(), (9, [])], epoch=1)
    publisher.put("numbers", [(n, n * 10) for n in range(-1250, 1250)], epoch=2)
    publisher.put("names", [(name, n) for n, name in enumerate(NAMES)], epoch=3)
    publisher.put("visits", [({"user": u, "page": p}, 1) for u in ("a", "b/c") for p in (-1, 0, 1)], epoch=4)
    publisher.put("times", [(f"2026-01-0{day}T00:00:00Z", f"day {day}") for day in (1, 2, 3)], epoch=5)
    publisher.put("leaderboard", [(9, None)], epoch=6)
    publisher.put("hours", [(hour_of(user, hour), hour) for user in ("b", "a", "a b") for hour in (2, 0, 1)], epoch=6)
    return publisher


@pytest.fixture(scope="session")
def served(published, tmp_path_factory):
    app = make_app(published.name)
    stores = Stores(app.name, published.brokers, tmp_path_factory.mktemp("state"))
    with Server(app, stores, port=0) as server:
        stores.wait_ready(90)
        yield server


@pytest.fixture(scope="session")
def http(served):
    with httpx.Client(base_url=served.url, timeout=10) as client:
        yield client
