"""Reading stores over HTTP: keys, pages, ranges, counts, and everything that is refused."""

import json
from http.client import HTTPConnection
from urllib.parse import quote

import pytest

from tests.server.conftest import BOARDS, NAMES

pytestmark = pytest.mark.broker


def keys(answer):
    return [entry["key"] for entry in answer.json()["entries"]]


def test_stores_are_listed_with_types_and_sizes(http, published):
    answer = http.get("/stores")
    assert answer.status_code == 200
    listed = {store["name"]: store for store in answer.json()["stores"]}
    assert sorted(listed) == ["hours", "leaderboard", "names", "numbers", "times", "visits"]
    assert {name: store["count"] for name, store in listed.items()} == {
        "hours": 9, "leaderboard": 2, "names": len(NAMES), "numbers": 2500, "times": 3, "visits": 6
    }  # fmt: skip
    assert listed["numbers"]["key"] == "long"
    assert listed["numbers"]["lag"] == 0
    assert listed["numbers"]["epoch"] == 2
    assert listed["numbers"]["changelog"] == published.changelog("numbers")


def test_one_value(http):
    answer = http.get("/stores/leaderboard/keys/1")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == BOARDS[1]


@pytest.mark.parametrize("name", NAMES)
def test_keys_of_any_spelling_are_found(http, name):
    asked = HTTPConnection(http.base_url.host, http.base_url.port)  # httpx would resolve the dots of ".."
    asked.request("GET", f"/stores/names/keys/{quote(name, safe='')}")
    assert json.loads(asked.getresponse().read()) == NAMES.index(name)
    asked.close()


def test_slashes_need_no_encoding(http):
    assert http.get("/stores/names/keys/a/b").json() == NAMES.index("a/b")


def test_a_record_key_is_json(http):
    answer = http.get("/stores/visits/keys/" + quote(json.dumps({"page": -1, "user": "b/c"}), safe=""))
    assert answer.json() == 1


def test_a_deleted_key_is_gone(http):
    answer = http.get("/stores/leaderboard/keys/9")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "key_not_found"
    assert keys(http.get("/stores/leaderboard")) == [1, 6]


def test_pages_give_every_key_once_in_order(http):
    seen, after = [], {}
    while True:
        answer = http.get("/stores/numbers", params={"limit": 333, **after}).json()
        seen += [entry["key"] for entry in answer["entries"]]
        if answer["next"] is None:
            break
        after = {"after": answer["next"]}
    assert seen == list(range(-1250, 1250))


def test_pages_stay_inside_their_range(http):
    first = http.get("/stores/numbers", params={"from": -5, "to": 5, "limit": 6})
    rest = http.get("/stores/numbers", params={"from": -5, "to": 5, "limit": 6, "after": first.json()["next"]})
    assert keys(first) + keys(rest) == list(range(-5, 6))
    assert rest.json()["next"] is None


def test_a_page_has_a_hundred_entries_unless_asked_otherwise(http):
    assert len(keys(http.get("/stores/numbers"))) == 100
    assert len(keys(http.get("/stores/numbers", params={"limit": 1000}))) == 1000


@pytest.mark.parametrize(
    ("store", "query", "found"),
    [
        ("names", {"prefix": "a"}, sorted(n for n in NAMES if n.startswith("a"))),
        ("names", {"prefix": "日"}, ["日本"]),
        ("names", {"from": "g", "to": "h"}, ["grüße"]),
        ("visits", {"prefix": '{"user": "b/c"}'}, [{"user": "b/c", "page": p} for p in (-1, 0, 1)]),
        ("visits", {"prefix": '["a"]'}, [{"user": "a", "page": p} for p in (-1, 0, 1)]),
        ("visits", {"from": '{"user": "a", "page": 1}', "to": '["b/c", -1]'},
         [{"user": "a", "page": 1}, {"user": "b/c", "page": -1}]),
        ("times", {"from": "2026-01-02T00:00:00Z"}, ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"]),
        ("times", {"to": "1767225600000"}, ["2026-01-01T00:00:00Z"]),
        ("numbers", {"from": "5", "to": "4"}, []),
        ("numbers", {"from": "1248"}, [1248, 1249]),
    ],
)  # fmt: skip
def test_ranges(http, store, query, found):
    assert keys(http.get(f"/stores/{store}", params=query)) == found


def test_count(http):
    assert http.get("/stores/numbers/count").json() == {"count": 2500}


@pytest.mark.parametrize(
    ("path", "status", "code", "words"),
    [
        ("/stores/leaderbord", 404, "unknown_store", "did you mean 'leaderboard'"),
        ("/stores/nothing/count", 404, "unknown_store", "stores: hours, leaderboard, names"),
        ("/stores/nothing/keys/1", 404, "unknown_store", "no store 'nothing'"),
        ("/stores/numbers/keys/one", 400, "wrong_type", "written as 42"),
        ("/stores/numbers/keys/1.5", 400, "wrong_type", "wanted long"),
        ("/stores/numbers/keys/", 400, "wrong_type", "wanted long"),
        ("/stores/numbers/keys/99999999999999999999", 400, "wrong_type", "out of range"),
        ("/stores/numbers/keys/77777", 404, "key_not_found", "has no key '77777'"),
        ("/stores/numbers/keys/1?x=1", 400, "unknown_parameter", "allowed here: min_epoch"),
        ("/stores/visits/keys/a", 400, "wrong_type", "record(user string, page long)"),
        ("/stores/names/keys/%ff", 400, "bad_path", "UTF-8"),
        ("/stores/numbers?limit=0", 400, "bad_limit", "1 to 1000"),
        ("/stores/numbers?limit=-1", 400, "bad_limit", "1 to 1000"),
        ("/stores/numbers?limit=1001", 400, "bad_limit", "after="),
        ("/stores/numbers?limit=ten", 400, "bad_limit", "1 to 1000"),
        ("/stores/numbers?limit=", 400, "bad_limit", "1 to 1000"),
        ("/stores/numbers?after=!!", 400, "bad_cursor", "leave `after` out"),
        ("/stores/numbers?after=AAAA", 400, "bad_cursor", "not a cursor"),
        ("/stores/numbers?after=%C3%BC", 400, "bad_cursor", "not a cursor"),
        ("/stores/numbers?from=a", 400, "wrong_type", "wanted long"),
        ("/stores/numbers?prefix=1", 400, "wrong_type", "string, binary and record keys"),
        ("/stores/times?from=yesterday", 400, "wrong_type", "2026-01-01T00:00:00Z"),
        ("/stores/numbers?form=1", 400, "unknown_parameter", "allowed here: from, to"),
        ("/stores/numbers?limit=1&limit=2", 400, "bad_parameter", "twice"),
        ("/stores?x=1", 400, "unknown_parameter", "allowed here: min_epoch"),
        ("/stores/", 404, "not_found", "nothing is at"),
        ("/nowhere", 404, "not_found", "/nowhere"),
        ("/stores/numbers/count/more", 404, "not_found", "nothing is at"),
    ],
)
def test_what_is_refused_says_why(http, path, status, code, words):
    answer = http.get(path)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert list(error) == ["code", "message", "hint"]
    assert error["code"] == code
    assert words in error["message"] + " " + error["hint"]
    assert int(answer.headers["holdfast-epoch"]) >= 6


def test_writing_is_not_answered(http):
    answer = http.delete("/stores/numbers")
    assert answer.status_code == 405
    assert answer.json()["error"]["code"] == "method_not_allowed"
    assert "GET" in answer.headers["allow"]


def test_head_has_headers_and_no_body(http):
    answer = http.head("/stores/numbers/keys/1")
    assert answer.status_code == 200
    assert answer.content == b""
    assert answer.headers["content-length"] == "2"
