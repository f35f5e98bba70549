from tests.examples.helpers import by_key, clock, played


def test_a_visit_without_checkout_is_told_when_it_is_over():
    with played("carts") as (driver, _):
        ((customer, (cart,)),) = by_key(driver, "abandoned-carts").items()
        assert (customer, cart["items"], cart["worth"]) == ("ada", ["lamp", "bulb"], 44.5)
        assert (clock(cart, "since"), clock(cart, "last")) == ("10:00:00", "10:30:00")


def test_the_clock_ends_a_visit_when_nobody_comes_any_more():
    with played("carts") as (driver, _):
        driver.read("abandoned-carts")
        event = {"customer": "eve", "kind": "add", "item": "rug", "price": 90.0, "at": "2026-03-01T12:10:00Z"}
        driver.pipe("cart-events", event)
        driver.advance(minutes=20)
        assert driver.read("abandoned-carts") == []
        driver.advance(minutes=20)
        assert [(r.key, r.value["items"]) for r in driver.read("abandoned-carts")] == [("eve", ["rug"])]
