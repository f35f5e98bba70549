from tests.examples.helpers import by_key, played


def test_a_hot_machine_and_one_whose_bearing_wears_out():
    with played("sensors") as (driver, routes):
        assert by_key(driver, "machine-alerts") == {
            "press-1": [{"alert": "too hot", "site": "north", "value": 83.0}],
            "drill-7": [{"alert": "check the bearing", "site": "south", "value": 2.0}],
        }
        # Only the last minute counts.
        assert routes["/machines/{machine}"]("press-1") == {"celsius": 60.0, "readings": 1, "site": "north"}


def test_a_machine_that_is_stopped_is_not_watched():
    with played("sensors") as (driver, _):
        assert driver.store("means")["press-2"]["readings"] == 1
