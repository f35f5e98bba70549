"""Whole programs through the driver."""

from pathlib import Path

import pytest

from holdfast.dsl.loader import load_app
from holdfast.testing import Driver
from tests.programs import orders

LEADERBOARD = Path(__file__).parents[2] / "examples" / "leaderboard" / "leaderboard.py"


def board(*scores):
    names = {1: "Elyse", 2: "Mitch", 3: "Isabelle"}
    games = {1: "Super Smash Bros", 6: "Mario Kart"}
    return [
        {"playerId": p, "playerName": names[p], "productId": g, "score": s, "gameName": games[g]} for g, p, s in scores
    ]


@pytest.fixture
def leaderboard():
    with Driver(load_app(LEADERBOARD)) as driver:
        for key, name in [(1, "Elyse"), (2, "Mitch"), (3, "Isabelle")]:
            driver.pipe("players", {"id": key, "name": name}, key=key)
        for key, name in [(1, "Super Smash Bros"), (6, "Mario Kart")]:
            driver.pipe("products", {"id": key, "name": name}, key=key)
        yield driver


def test_leaderboard(leaderboard):
    for game, player, score in [(1, 1, 1000), (1, 2, 2000), (1, 3, 4000), (1, 1, 500), (6, 3, 9000)]:
        leaderboard.pipe("score-events", {"score": score, "product_id": game, "player_id": player})
    store = leaderboard.store("leaderboard")
    assert dict(store.all()) == {
        1: board((1, 3, 4000), (1, 2, 2000), (1, 1, 1000)),
        6: board((6, 3, 9000)),
    }
    assert [(r.key, len(r.value)) for r in leaderboard.read("high-scores")] == [(1, 1), (1, 2), (1, 3), (1, 3), (6, 1)]


def test_a_score_of_an_unknown_player_has_no_place_on_the_board(leaderboard):
    leaderboard.pipe("score-events", {"score": 1, "product_id": 1, "player_id": 77})
    assert leaderboard.read("high-scores") == []
    assert leaderboard.dead_letters() == []


def test_a_player_who_changes_his_name_has_it_from_then_on(leaderboard):
    leaderboard.pipe("score-events", {"score": 10, "product_id": 6, "player_id": 1})
    leaderboard.pipe("players", {"id": 1, "name": "Elise"}, key=1)
    leaderboard.pipe("score-events", {"score": 20, "product_id": 6, "player_id": 1})
    assert [r["playerName"] for r in leaderboard.store("leaderboard")[6]] == ["Elise", "Elyse"]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_orders_in_batches_of_any_size(size):
    with Driver(orders.make()) as driver:
        rows = orders.records()
        for start in range(0, len(rows), size):
            with driver.batch():
                for topic, key, value, at in rows[start : start + size]:
                    driver.pipe(topic, value, key=key, timestamp=at)
        assert {name: dict(driver.store(name).all()) for name in orders.STORES} == orders.STORES
        assert sorted((r.value["item"], r.value["amount"], r.value["size"]) for r in driver.read("sized-orders")) == [
            ("desk", 199.0, "large"),
            ("desk", 250.0, "large"),
            ("lamp", 100.0, "large"),
            ("pen", 3.5, "small"),
            ("pen", 4.0, "small"),
            ("pen", 4.0, "small"),
        ]
        last = {r.value["item"]: r.value["buyer"] for r in driver.read("best-buyers")}
        assert last == {"pen": "Cyd", "desk": "Bob", "lamp": "Bob"}
        assert driver.dead_letters() == []
