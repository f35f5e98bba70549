"""Requests that no program would send: each is refused with a reason, and none fails the server."""

import json

import httpx
import pytest

import holdfast as hf
from holdfast.server.limits import Limits
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.stores.publisher import Publisher, record

pytestmark = pytest.mark.broker
DEEP, DIGITS = "[" * 900 + "]" * 900, "9" * 5000
LONG = "k" * 100_000
JSON = {"Content-Type": "application/json"}
LIMITS = Limits(page=10_000)


def array(of):
    return {"type": "array", "elementType": of, "containsNull": True}


@pytest.fixture(scope="module")
def strange(broker, tmp_path_factory):
    """Stores with keys of every kind."""
    publisher = Publisher(broker.address)
    node = {"id": "count:rates", "op": "source", "inputs": [], "store": {"name": "rates", "versioned": 10**15}}
    publisher.publish(
        [node],
        amounts=("decimal(10,2)", "long"),
        priced=(record(amount="decimal(10,2)", tags=array("string")), "long"),
        names=("string", "string"),
        numbers=("long", "long"),
        times=("timestamp", "long"),
        days=("date", "long"),
        lists=(array("long"), "long"),
        raws=("binary", "long"),
        rates=("string", "string"),
        hours=(record(key="string", start="long", end="long"), "long"),
    )  # fmt: skip
    publisher.put("names", [(f"{LONG}{n}", f"long {n}") for n in range(3)], epoch=1)
    publisher.put("names", [(f"large {n}", "x" * 3000) for n in range(10)], epoch=2)
    publisher.put("names", [("larger", "y" * 30_000)], epoch=3)
    publisher.put("numbers", [(1, 1)], epoch=4)
    publisher.put("priced", [({"amount": 1.5, "tags": ["a"]}, 7)], epoch=5)
    publisher.put("times", [(f"2026-01-0{day}T00:00:00Z", day) for day in (1, 2)], epoch=6)
    publisher.put("rates", [("a", "z" * 4000, at) for at in range(1000, 9000, 1000)], epoch=7)
    stores = Stores(publisher.name, broker.address, tmp_path_factory.mktemp("state"))
    with Server(None, stores, port=0, limits=LIMITS) as server:
        stores.wait_ready(90)
        with httpx.Client(base_url=server.url, timeout=20) as client:
            yield client


KEYS = [
    DEEP, DIGITS, f"-{DIGITS}", f"0.{DIGITS}", f"1e{DIGITS}", "1e999999999", "0000-01-01T00:00:00Z", "-0001-01-01",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0001-01-01", "-62135596800001", "9" * 18, "-" + "9" * 18,
    f'{{"amount":{DIGITS},"tags":[]}}', f'{{"amount":1,"tags":{DEEP}}}', f'{{"amount":{DEEP},"tags":[]}}',
    '{"amount":1,"tags":["\\ud800"]}', f"[{DIGITS}]", "[[[]]]", "[null]", "{}", "null", "true", '"', "\x00", "٣", "²",
    '{"amount":NaN,"tags":[]}', '{"amount":1e400,"tags":[]}', '{"key":"a","start":1e400,"end":2}', "\ud7ff",
    '{"key":"a","start":-99999999999999999,"end":2}', "�", "Infinity", "nan", "--1", " 1",
]  # fmt: skip
STORES = ["amounts", "priced", "names", "numbers", "times", "days", "lists", "raws", "rates", "hours", "%00", "a b"]


def test_no_key_fails_the_server(strange):
    failed = []
    for store in STORES:
        for key in KEYS:
            for asked in (
                strange.get(f"/stores/{store}/keys/{quoted(key)}"),
                strange.get(f"/stores/{store}/keys/a?from={quoted(key)}&to={quoted(key)}"),
                strange.get(f"/stores/{store}/keys/a?after={quoted(key)}"),
                strange.get(f"/stores/{store}?from={quoted(key)}"),
                strange.get(f"/stores/{store}?prefix={quoted(key)}"),
                strange.get(f"/stores/{store}?after={quoted(key)}"),
                strange.get(f"/stores/{store}?limit={quoted(key)}"),
                strange.post(f"/stores/{store}/get", content=json.dumps({"key": key}), headers=JSON),
                strange.post(f"/stores/{store}/page", content=json.dumps({"from": key}), headers=JSON),
                strange.post(f"/stores/{store}/get", content=f'{{"key":{key}}}'.encode(errors="replace"), headers=JSON),
            ):
                if asked.status_code not in (200, 400, 404):
                    failed.append((asked.request.method, store, key[:50], asked.text[:300]))
    assert failed == []


def quoted(text):
    return httpx.QueryParams({"": text}).__str__()[1:].replace("+", "%20")


PATHS = [
    "/stores/names%2Fkeys%2Fx", "/stores%2Fnames/keys/x", "/stores/x%2Fkeys/keys/y", "/stores/names/keys%2Fx",
    "/%2Fstores", "/stores/%2F", "/stores/names%2Fcount", "/stores/names/keys/%", "/stores/names/keys/%zz",
    "/stores/names/keys/%ff", "/stores/names/keys/%ed%a0%80", "/stores/%ff", "/%00", "/stores/names/keys/",
    "/stores/names/keys//", "/stores//keys/x", "//stores", "/stores/names/count/", "/stores/names/get", "/;", "/%",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_no_path_fails_the_server(strange, path):
    url = httpx.URL(str(strange.base_url).rstrip("/"), raw_path=path.encode())
    answer = strange.send(httpx.Request("GET", url))
    assert answer.status_code in (400, 404, 405)
    assert answer.json()["error"]["code"] in (
        "bad_path",
        "not_found",
        "key_not_found",
        "unknown_store",
        "method_not_allowed",
    )


DEEPER = b'{"key":' + DEEP.encode() + b"}"
BODIES = [
    b"", b"{", b"[]", b"1", DEEP.encode(), b"{}", b'{"key":null}', b'{"key":"a","keys":1}', b"\xff", b'{"key":"\xff"}',
    b'{"key":"a","limit":true}', b'{"key":"a","after":[1]}', DEEPER, b'{"key":' + DIGITS.encode() + b"}",
    b'{"key":"a","limit":' + DIGITS.encode() + b"}",
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_no_body_fails_the_server(strange, body):
    for store in ("names", "numbers", "priced", "rates"):
        for path in (f"/stores/{store}/get", f"/stores/{store}/page"):
            answer = strange.post(path, content=body, headers=JSON)
            assert answer.status_code in (200, 400, 404), answer.text
            assert answer.status_code != 200 or (path.endswith("/page") and body == b"{}")


def test_a_key_that_is_too_long_for_an_address_is_asked_for_in_a_body(strange):
    assert strange.post("/stores/names/get", json={"key": f"{LONG}1"}).json() == "long 1"
    absent = strange.post("/stores/names/get", json={"key": f"{LONG}9"})
    assert (absent.status_code, absent.json()["error"]["code"]) == (404, "key_not_found")
    assert len(absent.content) < 500
    for given in (1, "1"):
        assert strange.post("/stores/numbers/get", json={"key": given}).json() == 1
    for given in ({"amount": 1.5, "tags": ["a"]}, '{"amount": 1.50, "tags": ["a"]}'):
        assert strange.post("/stores/priced/get", json={"key": given}).json() == 7
    assert strange.post("/stores/times/get", json={"key": "2026-01-02T00:00:00Z"}).json() == 2


def test_pages_over_keys_that_are_too_long_for_an_address_go_on_in_a_body(strange):
    found, after = [], None
    while not found or after:
        asked = {"limit": 1, "prefix": "k"} | ({"after": after} if after else {})
        page = strange.post("/stores/names/page", json=asked).json()
        found += [entry["value"] for entry in page["entries"]]
        after = page["next"]
    assert found == ["long 0", "long 1", "long 2"]


def test_a_page_is_bounded_in_bytes_and_goes_on(strange):
    found, after = [], None
    while not found or after:
        answer = strange.get("/stores/names", params={"prefix": "large"} | ({"after": after} if after else {}))
        entries, after = answer.json()["entries"], answer.json()["next"]
        assert len(answer.content) < LIMITS.page + 1000 or len(entries) == 1
        found += [(entry["key"], len(entry["value"])) for entry in entries]
    assert found == [*((f"large {n}", 3000) for n in range(10)), ("larger", 30_000)]


def test_a_page_of_versions_is_bounded_in_bytes_and_goes_on(strange):
    found, after = [], None
    while not found or after:
        answer = strange.get("/stores/rates/keys/a", params={"from": 0} | ({"after": after} if after else {}))
        assert len(answer.content) < LIMITS.page + 1000
        found += [entry["from"] for entry in answer.json()["entries"]]
        after = answer.json()["next"]
    assert found == list(range(1000, 9000, 1000))


@pytest.mark.parametrize("host", ["[", "[::1", "a b", "a/b", "a@b", "[x]"])
def test_a_host_that_is_none_is_refused(secured_host, host):
    assert secured_host(host).status_code == 400


@pytest.fixture
def secured_host(published, tmp_path):
    from holdfast.server.access import Access

    access = Access("a-token-of-length")
    with Server(None, Stores(published.name, published.brokers, tmp_path), port=0, access=access) as server:
        headers = {"Authorization": "Bearer a-token-of-length"}
        yield lambda host: httpx.get(server.url + "/stores", headers={**headers, "Host": host})


def test_a_path_makes_no_lines_in_the_log(published, tmp_path, caplog):
    app = hf.App(published.name)

    @app.get("/fails/{name}")
    def fails(name: str):
        raise RuntimeError(name)

    with Server(app, Stores(published.name, published.brokers, tmp_path), port=0) as server:
        assert httpx.get(server.url + "/fails/%0a%1b%5b2Jall%20is%20fine").status_code == 500
    assert "GET /fails/%0a%1b%5b2Jall%20is%20fine failed" in caplog.messages


def test_parameters_of_own_routes(http):
    at = "/echo/2026-01-01T00:00:00Z"
    for query in (f"amount={DIGITS}", "amount=1e999999999", f"n={DIGITS}", "amount=-1e-999999999"):
        assert http.get(f"{at}?{query}").status_code == 400
    for when in ("0001-01-01T00:00:00+14:00", DIGITS, "9999-12-31T23:59:59-14:00"):
        assert http.get(f"/echo/{when}").status_code == 400
    for body in (f'{{"id":{DEEP}}}', DEEP, f'{{"id":{DIGITS}}}x', '{"id":"\\ud800"}'):
        assert http.post("/orders", content=body, headers=JSON).status_code == 400
