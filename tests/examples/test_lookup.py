from tests.examples.helpers import played, values


def test_each_order_sees_its_customer_as_of_its_time():
    with played("lookup") as (driver, routes):
        orders = sorted(values(driver, "named-orders"), key=lambda o: o["order"])
        assert [(o["order"], o["name"], o["city"]) for o in orders] == [
            (101, "Ada", "London"),
            (102, "Bob", "Oslo"),
            (103, "Ada", "Turin"),
            (104, "unknown", None),
            (105, "unknown", None),
        ]
        assert routes["/customers"]() == {1: {"name": "Ada", "city": "Turin"}}
