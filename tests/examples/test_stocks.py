from tests.examples.helpers import clock, played


def test_statistics_of_the_last_five_seconds():
    with played("stocks") as (_, routes):
        windows = {clock(w, "start"): w for w in routes["/stocks/{symbol}"]("ACME")}
        late_trade_included = windows["15:00:01"]
        assert (late_trade_included["low"], late_trade_included["trades"]) == (9.6, 3)
        assert (clock(windows["15:00:07"], "end"), windows["15:00:07"]["mean"]) == ("15:00:12", 11.0)


def test_every_window_that_a_trade_is_in_is_told():
    with played("stocks") as (driver, _):
        emitted = {(r.key.key, r.key.start.second): r.value for r in driver.read("stock-stats")}
        assert emitted["ACME", 0] == {"low": 9.6, "trades": 4, "mean": 9.975}
        assert [start for symbol, start in emitted if symbol == "BOLT"] == [56, 57, 58, 59, 0, 1, 2, 3, 4, 5]
