from tests.examples.helpers import played


def test_the_ten_best_of_a_day():
    with played("gainers") as (_, routes):
        board = routes["/gainers/{day}"]("2026-03-02")
        assert [symbol for symbol, _ in board] == [
            "LIME",
            "ECHO",
            "FLUX",
            "JADE",
            "ACME",
            "CORK",
            "IRON",
            "GLOW",
            "HAZE",
            "KITE",
        ]
        assert board[0] == ("LIME", 5.0)
        assert routes["/gainers/{day}"]("2026-03-03") == [("BOLT", 20.0), ("ACME", 10.0)]


def test_a_stock_that_falls_loses_its_place():
    with played("gainers") as (driver, routes):
        driver.pipe("day-trades", {"symbol": "LIME", "price": 10.0, "at": "2026-03-02T20:59:00Z"})
        board = routes["/gainers/{day}"]("2026-03-02")
        assert (board[0][0], board[-1][0], len(board)) == ("ECHO", "BOLT", 10)
