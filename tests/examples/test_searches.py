from tests.examples.helpers import played, values


def test_clicks_within_a_second_after_the_search_and_none_before():
    with played("searches") as (driver, routes):
        answered = sorted((a["query"], a["page"], a["after_ms"]) for a in values(driver, "answered-searches"))
        assert answered == [
            ("desk", "/desks/1", 1000),
            ("lamp", "/lamps/2", 500),
            ("lamp", "/lamps/7", 400),
            ("lamp", "/lamps/7", 900),
        ]
        assert routes["/answers"]()["lamp"] == {"clicks": 3, "first_choice": "/lamps/7", "mean_ms": 600.0}
