"""The versions of a key over HTTP and through a handle."""

import httpx
import pytest

import holdfast as hf
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker

HOUR = 3_600_000


@pytest.fixture(scope="module")
def rates(broker, tmp_path_factory):
    publisher = Publisher(broker.address)
    app = hf.App(publisher.name)
    app.table("rates", float, key=str, store=hf.Materialized("rates", versioned="2 hours"))
    app.stream("clicks", str, key=str).group_by_key().count(store="clicks")
    handle = app.store("rates")

    @app.get("/rate/{currency}")
    def rate(currency: str, at: int):
        return handle.at(currency, at)

    nodes = [{**node, "place": 0} for node in app.topology.json()["nodes"]]
    publisher.publish(nodes, rates=("string", "double"), clicks=("string", "long"))
    publisher.stores["rates"]["node"] = "rates"
    publisher.publish(nodes)
    publisher.put("rates", [("EUR", 1.0, 1), ("EUR", 2.0, HOUR), ("USD", 5.0, HOUR), ("EUR", 3.0, 2 * HOUR)], epoch=1)
    # Out of order, then, as the kernel does, the latest once more; a delete and what followed.
    publisher.put("rates", [("EUR", 2.5, HOUR + 1), ("EUR", 3.0, 2 * HOUR)], epoch=2)
    publisher.put("rates", [("USD", None, 2 * HOUR), ("USD", 6.0, 3 * HOUR), ("GBP", None, 7)], epoch=3)
    publisher.put("clicks", [("a", 1)], epoch=4)
    stores = Stores(app.name, publisher.brokers, tmp_path_factory.mktemp("versions"))
    with Server(app, stores, port=0) as server:
        stores.wait_ready(90)
        with httpx.Client(base_url=server.url, timeout=30) as client:
            yield client


def entries(answer):
    return [(each["from"], each["to"], each["value"]) for each in answer.json()["entries"]]


def test_the_latest_version_is_the_value(rates):
    assert rates.get("/stores/rates/keys/EUR").json() == 3.0
    assert rates.get("/stores/rates/count").json() == {"count": 2}
    listed = {store["name"]: store["kind"] for store in rates.get("/stores").json()["stores"]}
    assert listed == {"rates": "versioned", "clicks": "key-value"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("from=0", [(1, HOUR, 1.0), (HOUR, HOUR + 1, 2.0), (HOUR + 1, 2 * HOUR, 2.5), (2 * HOUR, None, 3.0)]),
        (f"from={HOUR}&to={HOUR}", [(HOUR, HOUR + 1, 2.0)]),
        ("from=1970-01-01T01:30:00Z&to=1970-01-01T02:00:00Z", [(HOUR + 1, 2 * HOUR, 2.5), (2 * HOUR, None, 3.0)]),
        ("to=5", [(1, HOUR, 1.0)]),
    ],
)
def test_versions_that_held_in_a_span_of_time(rates, query, found):
    assert entries(rates.get(f"/stores/rates/keys/EUR?{query}")) == found


def test_a_delete_ends_a_version(rates):
    assert entries(rates.get("/stores/rates/keys/USD?from=0")) == [(HOUR, 2 * HOUR, 5.0), (3 * HOUR, None, 6.0)]
    assert entries(rates.get("/stores/rates/keys/GBP?from=0")) == []


def test_pages(rates):
    first = rates.get("/stores/rates/keys/EUR?from=0&limit=3").json()
    second = rates.get(f"/stores/rates/keys/EUR?from=0&limit=3&after={first['next']}").json()
    assert [each["value"] for each in first["entries"] + second["entries"]] == [1.0, 2.0, 2.5, 3.0]
    assert second["next"] is None


def test_a_route_asks_for_a_time(rates):
    assert rates.get(f"/rate/EUR?at={HOUR}").json() == 2.0
    assert rates.get(f"/rate/USD?at={2 * HOUR}").status_code == 404


def test_what_is_refused(rates):
    answer = rates.get("/stores/rates/keys/EUR?from=soon")
    assert answer.status_code == 400
    assert "is not ISO 8601" in answer.json()["error"]["message"]
    assert rates.get("/stores/clicks/keys/a?from=0").status_code == 400
