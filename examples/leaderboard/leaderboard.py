"""The three highest scores of every game, served over REST."""

from dataclasses import dataclass

import holdfast as hf


@dataclass
class ScoreEvent:
    score: int
    product_id: int
    player_id: int


@dataclass
class Player:
    id: int
    name: str


@dataclass
class Product:
    id: int
    name: str


app = hf.App("leaderboard")

scores = app.stream("score-events", ScoreEvent)
players = app.table("players", Player, key=int)
products = app.global_table("products", Product, key=int)

high_scores = (
    scores.select_key(lambda s: s.player_id)
    .join(players, lambda s, p: dict(playerId=p.id, playerName=p.name, productId=s.product_id, score=s.score))
    .join(products, lambda r, g: dict(r, gameName=g.name), on=lambda r: r.productId)
    .group_by(lambda r: r.productId)
    .top(3, by=lambda r: r.score, store="leaderboard")
)
high_scores.to("high-scores")

boards = app.store("leaderboard")


@app.get("/leaderboard")
def every_game():
    return dict(boards.all())


@app.get("/leaderboard/{product_id}")
def one_game(product_id: int):
    return boards[product_id]
