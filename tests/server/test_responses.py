"""What all answers have in common: problem details, entity tags, compression."""

import gzip

import httpx
import pyarrow as pa
import pytest

from holdfast.server.compression import SMALLEST, chosen
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
TAG = 'W/"0123abcd4567.6"'
READS = ("/stores/numbers/keys/7", "/stores/numbers", "/stores/numbers/count", "/stores/hours/windows")


@pytest.fixture
def serve_one(tmp_path):
    made = []

    def start(app):
        stores = Stores(app.name, app.brokers, tmp_path)
        made.append(Server(None, stores, port=0).start())
        stores.wait_ready(60)
        return made[0]

    yield start
    made[0].stop()


def plain(served):
    return httpx.Client(base_url=served.url, timeout=10, headers={"Accept-Encoding": "identity"})


def test_an_error_is_a_problem_of_rfc_9457(http):
    found = http.get("/stores/numbers/keys/9999")
    assert (found.status_code, found.headers["content-type"]) == (404, "application/problem+json")
    problem = found.json()
    assert (problem["type"], problem["title"], problem["status"]) == ("about:blank", "Not Found", 404)
    assert problem["detail"] == problem["error"]["message"]
    assert "store 'numbers' has no key" in problem["detail"]
    assert problem["error"]["code"] == "key_not_found"


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("known", [TAG, TAG.removeprefix("W/"), f'"other", {TAG}', "*"])
def test_what_a_client_has_is_not_sent_again(http, path, known):
    first = http.get(path)
    assert (first.status_code, first.headers["etag"], first.headers["cache-control"]) == (200, TAG, "no-cache")
    again = http.get(path, headers={"If-None-Match": known})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", TAG)
    assert again.headers["holdfast-epoch"] == "6"


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("known", ['W/"0123abcd4567.5"', '"6"', "", "W/"])
def test_what_a_client_has_of_another_epoch_is_sent(http, path, known):
    assert http.get(path, headers={"If-None-Match": known}).status_code == 200


def test_a_refusal_has_no_tag(http):
    missing = http.get("/stores/numbers/keys/9999", headers={"If-None-Match": TAG})
    assert missing.status_code == 404
    assert "etag" not in missing.headers
    assert "etag" not in http.get("/stores").headers
    assert "etag" not in http.get("/leaderboard/1").headers


def test_a_tag_ends_with_its_epoch(broker, serve_one):
    app = Publisher(broker.address).publish(counts=("string", "long"))
    app.query = "aaaaaaaa-0000-4000-8000-000000000000"
    app.put("counts", [("a", 1)], epoch=1)
    server = serve_one(app)
    first = httpx.get(f"{server.url}/stores/counts/keys/a")
    app.put("counts", [("a", 2)], epoch=2)

    def again():
        return httpx.get(f"{server.url}/stores/counts/keys/a", headers={"If-None-Match": first.headers["etag"]})

    assert eventually(again, until=lambda found: found.status_code == 200).json() == 2


@pytest.mark.parametrize("accepted", ["gzip", "gzip, deflate, br", "GZIP;q=0.5"])
def test_a_large_answer_as_gzip(served, accepted):
    with plain(served) as client:
        whole = client.get("/stores/numbers?limit=1000")
        with client.stream("GET", "/stores/numbers?limit=1000", headers={"Accept-Encoding": accepted}) as found:
            assert (found.headers["content-encoding"], found.headers["vary"]) == ("gzip", "Accept-Encoding")
            sent = b"".join(found.iter_raw())
        assert len(sent) == int(found.headers["content-length"]) < len(whole.content) / 2
        assert gzip.decompress(sent) == whole.content


def test_a_large_answer_as_zstd(served):
    with plain(served) as client:
        whole = client.get("/stores/numbers?limit=1000").content
        with client.stream("GET", "/stores/numbers?limit=1000", headers={"Accept-Encoding": "gzip, zstd"}) as found:
            assert found.headers["content-encoding"] == "zstd"
            sent = b"".join(found.iter_raw())
        assert pa.decompress(sent, len(whole), codec="zstd", asbytes=True) == whole


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("/stores/numbers?limit=1000", "identity"),
        ("/stores/numbers?limit=1000", "gzip;q=0"),
        ("/stores/numbers?limit=1000", "br"),
        ("/stores/numbers?limit=2", "gzip"),
        ("/mounted/x", "gzip"),
    ],
)
def test_what_stays_as_it_is(http, path, accepted):
    found = http.get(path, headers={"Accept-Encoding": accepted})
    assert "content-encoding" not in found.headers
    assert path.startswith("/mounted") or found.json()["entries"]


def test_events_are_not_held_back(served):
    with (
        plain(served) as client,
        client.stream("GET", "/stores/numbers/changes", headers={"Accept-Encoding": "gzip"}) as events,
    ):
        assert "content-encoding" not in events.headers
        assert next(events.iter_lines()) == "event: snapshot"


def test_codings():
    assert chosen("") is None
    assert chosen("*") in ("gzip", "zstd")
    assert chosen("gzip;q=x") is None
    assert SMALLEST == 16 << 10  # what the short way answers is smaller
