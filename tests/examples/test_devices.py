from tests.examples.helpers import clock, played


def test_a_late_reading_corrects_its_hour():
    with played("devices") as (driver, routes):
        sums = [r.value["watt_hours"] for r in driver.read("hourly-use") if r.key.key == "m1" and r.key.start.hour == 8]
        assert sums == [120, 220, 255]
        hours = [(clock(h, "hour"), h["watt_hours"]) for h in routes["/meters/{meter}"]("m1")]
        assert hours == [("08:00:00", 255), ("09:00:00", 135), ("12:00:00", 110), ("15:00:00", 130)]


def test_one_that_comes_after_six_hours_goes_to_the_late_topic():
    with played("devices") as (driver, _):
        assert [(r.key, r.value["watt_hours"]) for r in driver.read("late-readings")] == [("m1", 60)]
