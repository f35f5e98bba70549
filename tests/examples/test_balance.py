from tests.examples.helpers import by_key, clock, played


def test_running_balances():
    with played("balance") as (driver, routes):
        balances = by_key(driver, "balances")
        assert [each["balance"] for each in balances["ada"]] == [120_000, 115_750, 85_750]
        assert [each["balance"] for each in balances["bob"]] == [5000, -2500, 7500]
        ada = routes["/accounts/{account}"]("ada")
        assert (ada["transactions"], ada["largest"], clock(ada, "last")) == (3, 120_000, "17:45:00")


def test_an_account_below_zero_is_told_although_it_recovers():
    with played("balance") as (driver, _):
        assert [(r.key, r.value["balance"]) for r in driver.read("overdrawn")] == [("bob", -2500)]
