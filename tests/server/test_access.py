"""Who may ask, and over what: the token, TLS, and that nothing but reading is possible."""

import ssl
from pathlib import Path

import httpx
import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.server.access import Access
from holdfast.server.server import HOST, Server
from holdfast.stores.backend import Stores
from holdfast.stores.follower import Follower
from tests.security.secured import make_certificates
from tests.server.conftest import make_app

pytestmark = pytest.mark.broker
TOKEN = "t0ken-heron-Lisbon"


@pytest.fixture(scope="module")
def secured(published, tmp_path_factory):
    """The same stores over TLS for those who know the token."""
    made = make_certificates(tmp_path_factory.mktemp("certificates"))
    app = make_app(published.name)
    stores = Stores(app.name, published.brokers, tmp_path_factory.mktemp("state"))
    access = Access(TOKEN, made.chain, made.key)
    with Server(app, stores, port=0, access=access) as server:
        stores.wait_ready(90)
        trust = ssl.create_default_context(cafile=str(made.authority))
        with httpx.Client(base_url=server.url, verify=trust, timeout=10) as client:
            yield client


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_the_server_listens_where_only_this_machine_is():
    assert HOST == "127.0.0.1"


def test_who_knows_the_token_is_answered(secured):
    for path in ("/stores", "/metrics", "/", "/leaderboard", "/mounted/x", "/openapi.json"):
        assert secured.get(path, headers=bearer(TOKEN)).status_code == 200
    assert secured.get("/stores", headers={"Authorization": f"bearer  {TOKEN}"}).status_code == 200


WRONG = [
    {}, bearer("x"), bearer(TOKEN + "x"), {"Authorization": TOKEN}, {"Authorization": f"Basic {TOKEN}"},
    {"Authorization": b"Bearer \xff"},
]  # fmt: skip
FILES = [
    "/../../etc/passwd", "/stores/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/stores/..%2f..%2fetc%2fpasswd",
    "/stores/names/keys/..%2f..%2f..%2fetc%2fpasswd", "//etc/passwd", "/page.html", "/holdfast/server/page.html",
    "/file:///etc/passwd",
]  # fmt: skip


@pytest.mark.parametrize("header", WRONG)
def test_others_are_not(secured, header):
    for path in ("/stores", "/stores/numbers/keys/1", "/metrics", "/", "/leaderboard", "/mounted/x", "/nowhere"):
        answer = secured.get(path, headers=header)
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in answer.text


def test_a_supervisor_without_the_token_hears_yes_or_no_and_nothing_else(secured):
    assert secured.get("/health").json() == {"status": "ok"}
    assert secured.get("/ready").json() == {"ready": True}
    assert "app" in secured.get("/health", headers=bearer(TOKEN)).json()


def test_who_does_not_know_the_token_hears_no_reason_and_no_epoch(secured, monkeypatch):
    for path in ("/health", "/ready", "/stores"):
        assert "holdfast-epoch" not in secured.get(path).headers
        assert "holdfast-epoch" in secured.get(path, headers=bearer(TOKEN)).headers
    monkeypatch.setattr(Follower, "stuck", "/home/ann/state: no space left")
    unknown, known = secured.get("/health"), secured.get("/health", headers=bearer(TOKEN))
    assert (unknown.status_code, known.status_code) == (503, 503)
    assert "ann" in known.text
    assert "ann" not in unknown.text


def test_openapi_says_that_a_token_is_wanted(secured, http):
    assert secured.get("/openapi.json", headers=bearer(TOKEN)).json()["security"] == [{"token": []}]
    assert "security" not in http.get("/openapi.json").json()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_changed(http, method):
    for path in ("/stores", "/stores/numbers", "/stores/numbers/keys/1", "/health", "/metrics", "/topology.json", "/"):
        assert http.request(method, path).status_code == 405


@pytest.mark.parametrize("path", FILES)
def test_no_path_is_a_path_of_a_file(http, path):
    answer = http.send(httpx.Request("GET", httpx.URL(str(http.base_url).rstrip("/"), raw_path=path.encode())))
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text


def test_what_a_route_returns_is_never_opened_as_a_file(published, tmp_path):
    app = hf.App(published.name)

    @app.get("/path")
    def path():
        return Path("/etc/passwd")

    @app.get("/open")
    def opened():
        with Path("/etc/passwd").open() as file:
            return file

    with Server(app, Stores(app.name, published.brokers, tmp_path), port=0) as server:
        for asked in ("/path", "/open"):
            assert "root:" not in httpx.get(server.url + asked).text


@pytest.mark.parametrize(("access", "why"), [
    (Access("short"), "fewer than 8 letters"),
    (Access("with\nnewline"), "printable ASCII"),
    (Access(certificate=Path("a.pem")), "both --tls-cert and --tls-key"),
    (Access(certificate=Path("nowhere.pem"), key=Path("nowhere.key")), "nowhere.pem"),
])  # fmt: skip
def test_access_that_cannot_be_used_is_refused_at_the_start(access, why):
    with pytest.raises(HoldfastError, match=why):
        access.checked()
    assert "short" not in repr(access)


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("path", [
    "/mounted", "/mounted/x", "/mounted/%2e%2e/x", "//mounted/x", "/mounted//x", "/%6dounted/x", "/mounted%2Fx",
    "/health/../mounted/x", "/health%2F..%2Fmounted/x", "/health/", "//health", "/health%00", "/ready/mounted/x",
    "/mounted/health", "/mounted/x?/health", "/MOUNTED/x", "/mounted/x;/health",
])  # fmt: skip
def test_every_method_and_spelling_of_a_path_wants_the_token(secured, method, path):
    url = httpx.URL(str(secured.base_url).rstrip("/"), raw_path=path.encode())
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x", "Sec-WebSocket-Version": "13"}
    for headers in ({}, upgrade):
        answer = secured.send(httpx.Request(method, url, headers=headers))
        assert answer.status_code == 401, answer.text
