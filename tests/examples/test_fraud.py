from tests.examples.helpers import by_key, played


def test_a_probe_with_a_drain_and_a_card_in_a_hurry():
    with played("fraud") as (driver, routes):
        alerts = by_key(driver, "fraud-alerts")
        assert {card: [(a["reason"], a["amount"]) for a in found] for card, found in alerts.items()} == {
            "4000-7": [("drained after a probe", 940.0)],
            "4000-3": [("too many payments", 80.0)],
        }
        assert routes["/alerts/{card}"]("4000-7")[0]["amount"] == 940.0


def test_a_large_payment_long_after_a_small_one_is_no_alert():
    with played("fraud") as (driver, _):
        assert "4000-1" not in driver.store("alerts")
