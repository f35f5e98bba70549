from tests.examples.helpers import played


def test_the_three_highest_scores_of_every_game():
    with played("leaderboard") as (_, routes):
        boards = routes["/leaderboard"]()
        assert [(r["playerName"], r["score"]) for r in boards[1]] == [
            ("Isabelle", 4000),
            ("Mitch", 2000),
            ("Elyse", 1000),
        ]
        assert routes["/leaderboard/{product_id}"](6)[0]["score"] == 9000
