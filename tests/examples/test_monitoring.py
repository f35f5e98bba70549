from tests.examples.helpers import clock, played


def test_a_minute_with_many_errors_is_told_once_when_it_is_over():
    with played("monitoring") as (driver, routes):
        assert [(r.key, clock(r.value, "minute"), r.value["error_rate"]) for r in driver.read("alerts")] == [
            ("search", "09:01:00", 0.4)
        ]
        minutes = [(clock(m, "minute"), m["requests"], m["errors"]) for m in routes["/services/{service}"]("search")]
        assert minutes == [("09:00:00", 4, 0), ("09:01:00", 5, 2), ("09:02:00", 4, 0)]


def test_a_request_that_comes_after_its_minute_was_told_is_kept_apart():
    with played("monitoring") as (driver, _):
        assert [r.value["ms"] for r in driver.read("late-requests")] == [900]
