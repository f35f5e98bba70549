"""A server without a token: whom a browser may ask it for, and that pages of other sites get nothing."""

import asyncio

import httpx
import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.server.access import Access, is_loopback
from holdfast.server.handlers import Service
from holdfast.server.routes import build
from holdfast.server.server import Server
from holdfast.stores.backend import Stores

pytestmark = pytest.mark.broker
PATHS = ("/stores", "/", "/metrics", "/leaderboard", "/mounted/x", "/nowhere")
JSON = {"Content-Type": "application/json"}


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7000", "localhost.evil.example", "127.0.0.1.evil.example", "10.1.2.3",
             "localhost@evil.example", "localhost evil", "[::2]", "::1", "", "localhost:99999999"]
)  # fmt: skip
def test_another_host_is_refused(http, host):
    for path in PATHS:
        assert code(http.get(path, headers={"Host": host})) in ((403, "wrong_host"), (400, "bad_host"))


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:1", "LOCALHOST", "127.0.0.1:7000", "[::1]", "[::1]:80", "localhost."]
)
def test_this_machine_is_answered(http, host):
    assert http.get("/stores", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost", "http://localhost:1", ""])
def test_a_page_of_another_site_is_refused(http, origin):
    for path in PATHS:
        assert code(http.get(path, headers={"Origin": origin})) == (403, "wrong_origin")
    assert code(http.post("/orders", json={"id": 4}, headers={"Origin": origin})) == (403, "wrong_origin")


def test_the_page_of_the_server_itself_is_answered(http, served):
    assert http.get("/stores", headers={"Origin": served.url, "Sec-Fetch-Site": "same-origin"}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_embeds_is_refused_and_its_links_are_not(http, site):
    embedded = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    assert code(http.get("/leaderboard", headers=embedded)) == (403, "wrong_origin")
    framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert code(http.get("/", headers=framed)) == (403, "wrong_origin")
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert http.get("/", headers=link).status_code == 200
    assert code(http.post("/orders", json={"id": 1}, headers=link)) == (403, "wrong_origin")


def test_a_supervisor_hears_yes_or_no_under_any_name(http):
    assert http.get("/health", headers={"Host": "pod-7"}).json() == {"status": "ok"}
    assert http.get("/ready", headers={"Host": "pod-7"}).json() == {"ready": True}


@pytest.mark.parametrize("content", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_a_body_says_that_it_is_json(http, content):
    headers = {"Content-Type": content} if content else {}
    assert code(http.post("/orders", content=b'{"id": 4}', headers=headers)) == (415, "not_json")
    named = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert http.post("/orders", content=b'{"id": 4}', headers=named).status_code == 200


def test_a_name_can_be_allowed(published, tmp_path):
    access = Access(hosts=("boards.example",))
    with Server(None, Stores(published.name, published.brokers, tmp_path), port=0, access=access) as server:
        for name, status in (("Boards.example:7000", 200), ("localhost", 200), ("other.example", 403)):
            assert httpx.get(server.url + "/stores", headers={"Host": name}).status_code == status


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "0", "10.0.0.1", "2001:db8::1", "::ffff:10.0.0.1"])
def test_where_other_machines_are_a_token_is_wanted(host, published, tmp_path):
    assert not is_loopback(host)
    stores = Stores(published.name, published.brokers, tmp_path)
    try:
        with pytest.raises(HoldfastError, match=r"--token-file or HOLDFAST_TOKEN.*--no-token"):
            Server(None, stores, host=host)
        Server(None, stores, host=host, access=Access("long-enough"))
        Server(None, stores, host=host, access=Access(public=True))
    finally:
        stores.stop()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1", "127.9.9.9", "::ffff:127.0.0.1"])
def test_loopback(host):
    assert is_loopback(host)


def asked(app, scope):
    """What an ASGI application sends for a scope."""
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    asyncio.run(
        app({"headers": [], "path": "/mounted", "raw_path": b"/mounted", "query_string": b"", **scope}, receive, send)
    )
    return sent


@pytest.mark.parametrize(("access", "headers"), [
    (Access("a-token-of-length"), []),
    (Access("a-token-of-length"), [(b"authorization", b"Bearer other")]),
    (Access(), [(b"host", b"evil.example")]),
    (Access(), [(b"host", b"localhost"), (b"origin", b"http://evil.example")]),
])  # fmt: skip
def test_a_websocket_of_a_mounted_application_is_behind_the_same_door(published, tmp_path, access, headers):
    reached = []

    async def mounted(scope, receive, send):
        reached.append(scope)
        await send({"type": "websocket.accept"})

    app = hf.App(published.name)
    app.mount("/mounted", mounted)
    stores = Stores(published.name, published.brokers, tmp_path)
    try:
        built = build(stores, app.routes, app.mounts, Service(access))
        scope = {"type": "websocket", "path": "/mounted/x", "raw_path": b"/mounted/x", "scheme": "ws"}
        assert [each["type"] for each in asked(built, {**scope, "headers": headers})] == ["websocket.close"]
        assert reached == []
        known = [(b"host", b"localhost"), (b"authorization", b"Bearer a-token-of-length")]
        assert [each["type"] for each in asked(built, {**scope, "headers": known})] == ["websocket.accept"]
    finally:
        stores.stop()
