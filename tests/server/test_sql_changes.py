"""A query that is watched: its rows, and then those that each epoch adds and removes."""

import json
from dataclasses import replace

import httpx
import pytest

from holdfast.server.server import Server
from holdfast.server.sql import endpoint
from holdfast.server.sql.limits import USUAL
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
QUERY = 'SELECT value % 2 AS odd, count(*) AS n FROM "left" GROUP BY odd ORDER BY odd'


@pytest.fixture
def app(broker):
    publisher = Publisher(broker.address).publish(left=("string", "long"), right=("string", "long"))
    publisher.query = "0123abcd-4567-4000-8000-000000000000"
    publisher.put("left", [("a", 1), ("b", 2), ("c", 3)], epoch=1)
    return publisher


@pytest.fixture
def http(app, tmp_path):
    stores = Stores(app.name, app.brokers, tmp_path)
    with Server(None, stores, port=0) as server, httpx.Client(base_url=server.url, timeout=30) as client:
        stores.wait_ready(90)
        yield client


def watch(http, query=QUERY, accept="application/x-ndjson", **body):
    sent = {"query": query, **body}
    return http.stream("POST", "/sql/changes", json=sent, headers={"Accept": accept})


def test_rows_that_come_and_go(app, http):
    with watch(http) as answer:
        lines = answer.iter_lines()
        first = json.loads(next(lines))
        assert first == {
            "epoch": 1,
            "id": "0123abcd4567.1",
            "columns": ["odd", "n"],
            "rows": [[0, 1], [1, 2]],
            "truncated": False,
        }
        app.put("left", [("d", 4), ("a", None)], epoch=2)
        assert json.loads(next(lines)) == {
            "epoch": 2,
            "id": "0123abcd4567.2",
            "added": [[0, 2], [1, 1]],
            "removed": [[0, 1], [1, 2]],
        }
        app.put("right", [("x", 1)], epoch=3)  # another store: nothing but the mark
        assert json.loads(next(lines)) == {"epoch": 3, "id": "0123abcd4567.3", "added": [], "removed": []}


def test_rows_that_are_there_twice(app, http):
    with watch(http, 'SELECT value FROM "left" WHERE value > ?', parameters=[1]) as answer:
        lines = answer.iter_lines()
        assert sorted(json.loads(next(lines))["rows"]) == [[2], [3]]
        app.put("left", [("d", 3), ("e", 3), ("b", 1)], epoch=2)
        change = json.loads(next(lines))
        assert (change["added"], change["removed"]) == ([[3], [3]], [[2]])


def test_as_events(app, http):
    with watch(http, accept="text/event-stream") as answer:
        lines = answer.iter_lines()
        assert [next(lines), next(lines)] == ["event: rows", "id: 0123abcd4567.1"]
        assert next(lines).startswith('data: {"epoch":1,')


def test_what_a_store_was_is_the_sum_of_the_changes(app, http):
    with watch(http, 'SELECT key, value FROM "left"') as answer:
        lines = answer.iter_lines()
        rows = {tuple(row) for row in json.loads(next(lines))["rows"]}
        for epoch in range(2, 40):
            app.put("left", [("a", epoch), (f"k{epoch}", epoch), (f"k{epoch - 3}", None)], epoch=epoch)
        at = 1
        while at < 39:
            change = json.loads(next(lines))
            assert change["epoch"] > at
            at = change["epoch"]
            removed = {tuple(row) for row in change["removed"]}
            assert removed <= rows
            rows = rows - removed | {tuple(row) for row in change["added"]}
    assert rows == {
        tuple(row) for row in http.post("/sql", json={"query": 'SELECT key, value FROM "left"'}).json()["rows"]
    }


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [("SELECT * FROM nowhere", 404, "unknown_store"), ("DROP TABLE x", 400, "not_a_select"), ("", 400, "bad_sql")],
)
def test_what_is_no_query(http, query, status, code):
    refused = http.post("/sql/changes", json={"query": query})
    assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)


def test_no_more_than_so_many(http, monkeypatch):
    monkeypatch.setattr(endpoint.SqlEndpoint.__init__, "__defaults__", (replace(USUAL, subscriptions=1),))
    with watch(http) as one:
        lines = one.iter_lines()  # the response is closed with it
        next(lines)
        refused = http.post("/sql/changes", json={"query": QUERY})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")


def test_an_app_without_epochs(app, http):
    app.mark(1, live=True)

    def status():
        with watch(http) as answer:
            return answer.status_code

    assert eventually(status, until=lambda found: found == 409) == 409
