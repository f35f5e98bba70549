from tests.examples.helpers import by_key, played


def test_clicks_know_their_user_and_the_search_near_them():
    with played("clickstream") as (driver, routes):
        driver.advance(minutes=1)
        clicks = by_key(driver, "known-clicks")
        assert [(c["page"], c["name"], c["city"], c["query"]) for c in clicks["u1"]] == [
            ("/lamps", "Ada", "London", "reading lamp"),
            ("/help", "Ada", "London", None),
        ]
        assert [(c["page"], c["city"], c["query"]) for c in clicks["u2"]] == [
            ("/desks", "Oslo", None),
            ("/desks/9", "Bergen", "desk oak"),
        ]
        assert [(c["page"], c["name"]) for c in clicks["u3"]] == [("/lamps", None)]
        assert routes["/pages"]() == {"/lamps": 2, "/desks": 1, "/desks/9": 1, "/help": 1}
