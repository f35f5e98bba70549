from tests.examples.helpers import played


def test_days_are_those_of_the_exchange():
    with played("prices") as (_, routes):
        # Two in the morning in UTC is the evening before in New York.
        assert routes["/prices/{symbol}"]("ACME") == {
            "2026-03-06": {"low": 10.0, "high": 12.5, "mean": 11.17},
            "2026-03-09": {"low": 9.5, "high": 11.5, "mean": 10.5},
        }


def test_a_trade_that_is_reported_late_counts_for_its_day():
    with played("prices") as (driver, routes):
        driver.pipe("exchange-trades", {"symbol": "BOLT", "price": 40.0, "at": "2026-03-06T20:00:00Z"})
        assert routes["/prices/{symbol}"]("BOLT")["2026-03-06"]["low"] == 40.0
        assert driver.late() == []
