"""The windows of a key over HTTP and through a handle."""

from urllib.parse import quote

import pytest

from holdfast.stores import window_scan
from holdfast.stores.values import dumps
from tests.server.conftest import hour_of

pytestmark = pytest.mark.broker


def entries(answer):
    return [(entry["key"], entry["value"]) for entry in answer.json()["entries"]]


def test_one_window_by_its_key(http):
    key = quote(dumps(hour_of("a", 1)).decode(), safe="")
    assert http.get(f"/stores/hours/keys/{key}").json() == 1


def test_windows_are_ordered_by_key_and_start(http):
    found = entries(http.get("/stores/hours"))
    assert found == [(hour_of(user, hour), hour) for user in ("a", "a b", "b") for hour in (0, 1, 2)]


@pytest.mark.parametrize(
    ("query", "hours"),
    [
        ("from=0", [0, 1, 2]),
        ("from=3600000", [1, 2]),
        ("to=3600000", [0, 1]),
        ("from=1970-01-01T01:00:00Z&to=1970-01-01T01:30:00Z", [1]),
        ("from=1&to=3599999", []),
    ],
)
def test_windows_of_a_key_in_a_span_of_time(http, query, hours):
    assert entries(http.get(f"/stores/hours/keys/a?{query}")) == [(hour_of("a", hour), hour) for hour in hours]


def test_pages(http):
    first = http.get("/stores/hours/keys/a%20b?from=0&limit=2").json()
    second = http.get(f"/stores/hours/keys/a%20b?from=0&limit=2&after={first['next']}").json()
    assert [e["value"] for e in first["entries"] + second["entries"]] == [0, 1, 2]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("hours/keys/a?from=soon", "wanted timestamp"),
        ("numbers/keys/1?from=0", "unknown query parameter 'from'"),
        ("hours/keys/a", "wanted a window of string"),
    ],
)
def test_what_is_refused(http, path, message):
    answer = http.get(f"/stores/{path}")
    assert answer.status_code == 400
    assert message in answer.json()["error"]["message"]


def test_a_route_reads_the_windows_of_a_key(http):
    assert http.get("/hours/a?since=3600000").json() == [[hour_of("a", hour), hour] for hour in (1, 2)]
    assert http.get("/hours-of-all").json()['{"key":"b","start":0,"end":3600000}'] == 0


def test_the_list_says_what_a_store_is(http):
    kinds = {store["name"]: store["kind"] for store in http.get("/stores").json()["stores"]}
    assert (kinds["hours"], kinds["numbers"]) == ("window", "key-value")


@pytest.mark.parametrize("limit", [1, 2, 4, 100])
@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("keys/a?from=0", [("a", 2), ("a", 1), ("a", 0)]),
        ("keys/a?to=3600000", [("a", 1), ("a", 0)]),
        ("windows?from=3600000", [("b", 2), ("b", 1), ("a b", 2), ("a b", 1), ("a", 2), ("a", 1)]),
        ("windows?from=3600000&to=3600000", [("b", 1), ("a b", 1), ("a", 1)]),
        ("windows?to=0", [("b", 0), ("a b", 0), ("a", 0)]),
        ("windows?from=90000000", []),
    ],
)
def test_backwards(http, monkeypatch, path, wanted, limit):
    monkeypatch.setattr(window_scan, "_TRIES", 1)  # every window that is not wanted is leapt over
    found, after = [], ""
    while after is not None:
        page = http.get(f"/stores/hours/{path}&reverse=true&limit={limit}{after and f'&after={after}'}").json()
        found += [(each["key"]["key"], each["value"]) for each in page["entries"]]
        after = page["next"]
    assert found == wanted
