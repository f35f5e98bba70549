"""The reference program: what it becomes."""

from dataclasses import dataclass

import pytest

import holdfast as hf
from tests.dsl.helpers import record, slot, value


@dataclass
class ScoreEvent:
    score: int
    product_id: int
    player_id: int


@dataclass
class Named:
    id: int
    name: str


@pytest.fixture
def leaderboard():
    app = hf.App("leaderboard")
    scores = app.stream("score-events", ScoreEvent)
    players = app.table("players", Named, key=int)
    products = app.global_table("products", Named, key=int)
    (
        scores.select_key(lambda s: s.player_id)
        .join(players, lambda s, p: dict(playerId=p.id, playerName=p.name, productId=s.product_id, score=s.score))
        .join(products, lambda r, g: dict(r, gameName=g.name), on=lambda r: r.productId)
        .group_by(lambda r: r.productId)
        .top(3, by=lambda r: r.score, store="leaderboard")
        .to("high-scores")
    )
    return app


def test_ids_and_inputs(leaderboard):
    nodes = leaderboard.topology.json()["nodes"]
    assert [(each["id"], each["inputs"]) for each in nodes] == [
        ("score-events", []),
        ("players", []),
        ("products", []),
        ("select_key-1", ["score-events"]),
        ("join-1", ["select_key-1", "players"]),
        ("join-2", ["join-1", "products"]),
        ("group_by-1", ["join-2"]),
        ("top:leaderboard", ["group_by-1"]),
        ("to:high-scores", ["top:leaderboard"]),
    ]


def test_expressions(leaderboard):
    nodes = {each["id"]: each for each in leaderboard.topology.json()["nodes"]}
    assert nodes["select_key-1"]["key"] == value("player_id")
    assert nodes["join-1"]["joiner"] == record(
        playerId=slot("right", "id"),
        playerName=slot("right", "name"),
        productId=slot("left", "product_id"),
        score=slot("left", "score"),
    )
    assert nodes["join-2"]["on"] == value("productId")
    assert nodes["top:leaderboard"]["by"] == value("score")
    assert nodes["top:leaderboard"]["store"]["changelog"] == "leaderboard-leaderboard-changelog"


def test_the_head_of_the_json(leaderboard):
    json = leaderboard.topology.json()
    assert {name: json[name] for name in ("app", "holdfast", "tasks", "on_error")} == {
        "app": "leaderboard",
        "holdfast": 1,
        "tasks": 16,
        "on_error": "dead-letter",
    }


def test_positions_are_the_lines_of_the_calls(leaderboard):
    nodes = leaderboard.topology.json()["nodes"]
    first = int(nodes[0]["at"].removeprefix("test_leaderboard.py:"))
    lines = [int(each["at"].removeprefix("test_leaderboard.py:")) - first for each in nodes]
    assert lines == [0, 1, 2, 4, 5, 6, 7, 8, 9]
