"""Reads of one key go a short way; every answer is compared with that of the ordinary one."""

import contextlib
import itertools
import re
import socket
import time

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.server.access import EVERYBODY, Access
from holdfast.server.handlers import Service
from holdfast.server.limits import USUAL, Limits
from holdfast.server.listener import Listener
from holdfast.server.point_reads import PointReads
from holdfast.server.request_head import body_to_come, plain_fields
from holdfast.server.routes import build
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
CLOSE = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
PATHS = [
    b"numbers/keys/1", b"numbers/keys/-1250", b"numbers/keys/+7", b"numbers/keys/%31", b"numbers/keys/1250",
    b"numbers/keys/99999999999999999999", b"numbers/keys/x", b"numbers/keys/", b"numbers/keys/1/", b"numbers/keys/%",
    b"numbers/keys/1?", b"numbers/keys/1?min_epoch=0", b"numbers/keys/1?min_epoch=6", b"numbers/keys/1?min_epoch=x",
    b"numbers/keys/1?min_epoch=1&min_epoch=1", b"numbers/keys/1?min_epoch=", b"numbers/keys/1?from=1",
    b"numbers/keys/1?min_epoch=%31", b"numbers/keys/1?min_epoch=0000000000000000000000001", b"numbers/keys/1#x",
    b"names/keys/a", b"names/keys/a%20b", b"names/keys/a b", b"names/keys/a/b", b"names/keys/a%2Fb", b"names/keys/..",
    b"names/keys/a%252Fb", b"names/keys/a%3Fb%3Dc%26d%23e", b"names/keys/gr%C3%BC%C3%9Fe", b"names/keys/gr\xc3\xbc",
    b"names/keys/%E6%97%A5%E6%9C%AC", b"names/keys/x%00y", b"names/keys/a%0A", b"names/keys/%0Aa", b"names/keys/%ff",
    b"names/keys/%ed%a0%80", b"names/keys/%c0%af", b"names/keys/%zz", b"names/keys/%u0041", b"names/keys/+1",
    b"names/keys/" + b"long" * 200, b"names/keys/" + b"long" * 20_000, b"leaderboard/keys/1", b"leaderboard/keys/9",
    b"leaderboard/keys/007", b"times/keys/2026-01-01T00:00:00Z", b"times/keys/1767225600000", b"times/keys/never",
    b"visits/keys/%7B%22user%22:%22a%22,%22page%22:1%7D", b"visits/keys/{%22user%22:%22a%22,%22page%22:1}",
    b"hours/keys/a", b"hours/keys/a?from=0", b"hours/keys/%7B%22key%22:%22a%22,%22start%22:0,%22end%22:3600000%7D",
    b"unknown/keys/1", b"number/keys/1", b"num%62ers/keys/1", b"numbers%2Fkeys/1", b"../keys/1", b"numbers//keys/1",
    b"numbers", b"numbers/count", b"%00/keys/1",
]  # fmt: skip
LINES = [
    b"GET %b HTTP/1.0", b"GET %b HTTP/1.9", b"GET  %b HTTP/1.1", b"GET %b  HTTP/1.1", b"get %b HTTP/1.1",
    b"HEAD %b HTTP/1.1", b"OPTIONS %b HTTP/1.1", b"DELETE %b HTTP/1.1", b"POST %b HTTP/1.1", b"\r\nGET %b HTTP/1.1",
    b"GET http://localhost%b HTTP/1.1", b"GET %b HTTP/1.1\nX: y", b"GET %b", b"\x00GET %b HTTP/1.1",
    b"GET /.%b HTTP/1.1", b"GET /%b HTTP/1.1",
]  # fmt: skip
LOCAL = b"Host: localhost\r\n"
MORE = [
    b"Connection: keep-alive", b"Connection: Keep-Alive ", b"Connection: close", b"connection:close",
    b"Connection: keep-alive, close", b"Connection: Upgrade\r\nUpgrade: websocket", b"Upgrade: x",
    b"Connection: Upgrade\r\nUpgrade: h2c", b"Expect: 100-continue", b"Content-Length: 0", b"Content-Length: 1",
    b"Content-Length: x", b"Content-Length : 0", b"Content-Length: 99999999999", b"TE: trailers",
    b"Content-Length: 0\r\nContent-Length: 3", b"Transfer-Encoding: chunked", b"Transfer-Encoding: gzip",
    b"Origin: http://localhost", b"Origin: http://elsewhere", b"origin: null", b"Sec-Fetch-Site: cross-site",
    b"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document", b"Sec-Fetch-Site: none",
    b"X-Forwarded-Proto: https", b"X-Forwarded-For: 1.2.3.4", b"Forwarded: for=x", b"X-HTTP-Method-Override: PUT",
    b"Range: bytes=0-0", b"Accept-Encoding: gzip, zstd", b'If-None-Match: "6"', b"If-None-Match: *",
    b"Accept: text/plain", b"Cookie: " + b"a" * 9000, b"X: \xff", b"\xff: x", b": x", b"X", b"(: x",
    b"Authorization: Bearer a-token-of-length", b"authorization:bearer  a-token-of-length ",
    b"Authorization: Bearer a-token-of-lengtH", b"Authorization: Basic a-token-of-length", b"Authorization: Bearer",
]  # fmt: skip
FIELDS = [
    b"", LOCAL, b"HOST:127.0.0.1\r\n", b"Host: elsewhere\r\n", b"Host: local host\r\n", b"Host: a/b\r\n",
    LOCAL + b"Host: elsewhere\r\n", b"Host: elsewhere\r\n" + LOCAL, b"Host : localhost\r\n", b"Host:\r\n",
    LOCAL + b" folded: x\r\n", b"Host: localhost\nX: y\r\n", LOCAL + b"X: a\x00b\r\n",
    *(LOCAL + each + b"\r\n" for each in MORE),
]  # fmt: skip


def get(path, fields=b"Host: localhost\r\n", line=b"GET %b HTTP/1.1"):
    return line % (b"/stores/" + path) + b"\r\n" + fields + b"\r\n"


GOOD = get(b"numbers/keys/1")
BODY = b'{"keys": [1, 2]}'
JSON = LOCAL + b"Content-Type: application/json\r\n"
POST = b"POST /stores/numbers/keys HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (JSON, len(BODY), BODY)
CHUNKED = POST.partition(b"Content-Length")[0] + b"Transfer-Encoding: chunked\r\n\r\n10\r\n" + BODY + b"\r\n0\r\n\r\n"
COUNT = b"GET /stores/numbers/count HTTP/1.1\r\nHost: localhost\r\n\r\n"
ORDINARY = [COUNT, POST, CHUNKED, get(b"numbers/keys/1", line=b"HEAD %b HTTP/1.1")]
IMPATIENT = Limits(head=2, upload=2, idle=3)


def exchange(server, *pieces, in_turn=False):
    """Everything that is answered to the pieces, each sent a moment later or, in turn, when the last one is answered.

    The dates in it are all the same.
    """
    found = b""
    with socket.create_connection(("127.0.0.1", httpx.URL(server.url).port), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            for number, piece in enumerate(pieces):
                if number and in_turn:
                    found += connection.recv(1 << 16)
                time.sleep(0.003 if number else 0)
                connection.sendall(piece)
            while more := connection.recv(1 << 16):
                found += more
    return re.sub(rb"\r\ndate: [^\r]*", b"\r\ndate: now", found)


class Both:
    """The same stores by two servers, of which one knows only the ordinary way."""

    def __init__(self, stores, access=EVERYBODY, limits=IMPATIENT):
        self.service = Service(access, limits)
        self.reads = PointReads(stores, self.service, "127.0.0.1")
        self.fast, self.ordinary = self._listen(stores, self.reads), self._listen(stores, None)

    def _listen(self, stores, reads):
        asgi = build(stores, (), (), self.service, "127.0.0.1")
        return Listener(asgi, "127.0.0.1", 0, self.service.access, self.service.limits, self.service.requests, reads)

    def __enter__(self):
        for each in (self.fast, self.ordinary):
            each.listen()
            each.start("test")
        return self

    def __exit__(self, *_):
        for each in (self.fast, self.ordinary):
            each.stop()

    def answers(self, *pieces, in_turn=False):
        """What both answer, which is the same."""
        found, wanted = (exchange(each, *pieces, in_turn=in_turn) for each in (self.fast, self.ordinary))
        assert found == wanted, pieces
        return found


@pytest.fixture(scope="module")
def both(served):
    with Both(served._stores) as both:
        yield both


@pytest.fixture
def short(monkeypatch):
    """The answers of the short way."""
    found, answer = [], PointReads.answer

    def noted(self, *asked):
        result = answer(self, *asked)
        if result is not None:
            found.append(result)
        return result

    monkeypatch.setattr(PointReads, "answer", noted)
    return found


def test_a_point_read_goes_the_short_way(both, short):
    assert both.answers(GOOD * 3 + CLOSE).count(b"HTTP/1.1 200 OK") == 3
    assert len(short) == 3


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:40].decode("latin-1"))
def test_paths_are_answered_alike(both, path):
    both.answers(get(path) + CLOSE)
    both.answers(GOOD, get(path) + GOOD + CLOSE, in_turn=True)


@pytest.mark.parametrize("line", LINES)
def test_first_lines_are_answered_alike(both, line):
    both.answers(get(b"numbers/keys/1", line=line) + CLOSE)
    both.answers(GOOD, get(b"numbers/keys/1", line=line) + CLOSE, in_turn=True)


@pytest.mark.parametrize("fields", FIELDS)
def test_fields_are_answered_alike(both, fields):
    both.answers(get(b"numbers/keys/1", fields) + CLOSE)
    both.answers(GOOD, get(b"numbers/keys/1", fields) + CLOSE, in_turn=True)


@pytest.mark.parametrize("fields", FIELDS)
def test_fields_are_answered_alike_where_a_token_is_wanted(with_token, fields):
    good = get(b"numbers/keys/1", b"Authorization: Bearer a-token-of-length\r\n")
    with_token.answers(get(b"numbers/keys/1", fields) + CLOSE)
    with_token.answers(good, get(b"numbers/keys/1", fields) + good + CLOSE, in_turn=True)


@pytest.fixture(scope="module")
def with_token(served):
    with Both(served._stores, Access("a-token-of-length")) as both:
        yield both


def test_who_has_the_token_goes_the_short_way(with_token, short):
    good = get(b"numbers/keys/1", b"Authorization: Bearer a-token-of-length\r\n")
    found = with_token.answers(good, get(b"numbers/keys/1"), good, CLOSE, in_turn=True)
    assert re.findall(rb"HTTP/1.1 (\d+)", found) == [b"200", b"401", b"200", b"401"]
    assert len(short) == 2


@pytest.mark.parametrize("between", ORDINARY)
def test_the_short_way_is_found_again_after_another_request(both, short, between):
    both.answers(GOOD, between, GOOD, CLOSE, in_turn=True)
    assert len(short) == (1 if between is CHUNKED else 2)


# Nonsense is not among them: the ordinary way refuses it before it answers what came with it.
VALID = [path for path in PATHS if not re.search(rb"[ {\xc3]|long{9}", path) and len(path) < 10_000]
REQUESTS = [*[get(path) for path in VALID], *[GOOD] * 20, *ORDINARY * 3, get(b"numbers/keys/1", b"Host: 127.0.0.1\r\n")]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(REQUESTS), max_size=8), st.lists(st.floats(0, 1), max_size=4))
def test_requests_that_are_cut_anywhere_are_answered_alike(both, requests, cuts):
    data = b"".join([*requests, CLOSE])
    places = sorted({int(cut * len(data)) for cut in cuts} | {0, len(data)})
    both.answers(*(data[begin:end] for begin, end in itertools.pairwise(places)))


def test_many_requests_at_once_are_answered_in_order(both):
    data = b"".join(get(b"numbers/keys/%d" % n) for n in range(300))
    found = both.answers(data + CLOSE)
    assert [int(each) for each in re.findall(rb"\r\n\r\n(\d+)", found)[:300]] == [n * 10 for n in range(300)]


def test_beyond_the_limits_a_read_is_refused_as_ever(served):
    with Both(served._stores, limits=Limits(requests=0)) as busy:
        assert b"503 Service Unavailable" in busy.answers(GOOD + CLOSE)
    with Both(served._stores, limits=Limits(head_bytes=40)) as small:
        small.answers(GOOD + CLOSE)
        assert b"431" in small.answers(GOOD)


def test_while_much_waits_to_be_read_a_read_is_refused(served):
    class Waiting:
        def get_write_buffer_size(self):
            return USUAL.unread + 1

    with Both(served._stores) as both:
        both.service.requests.unread_transports.add(Waiting())
        assert b"503 Service Unavailable" in both.answers(GOOD + CLOSE)


def test_short_answers_are_counted(both):
    def counts():
        found, labels = httpx.get(both.ordinary.url + "/metrics").text, 'route="/stores/{store}/keys/{key}"'
        names = rf'holdfast_requests_total{{{labels},status="200"}}', rf"holdfast_request_seconds_count{{{labels}}}"
        return [float(re.search(rf"^{re.escape(name)} (.*)$", found, re.MULTILINE)[1]) for name in names]

    exchange(both.fast, GOOD + CLOSE)
    before = counts()
    exchange(both.fast, GOOD * 7 + CLOSE)
    assert counts() == [each + 7 for each in before]


def test_a_connection_that_is_used_stays_and_one_that_is_not_is_closed(served):
    with Both(served._stores, limits=Limits(idle=1)) as both, socket.socket() as connection:
        connection.settimeout(10)
        connection.connect(("127.0.0.1", httpx.URL(both.fast.url).port))
        for request in [COUNT, *[GOOD] * 13]:  # longer than the HTTP protocol would wait
            connection.sendall(request)
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
            time.sleep(0.5)
        began = time.monotonic()
        assert connection.recv(1) == b""
        assert time.monotonic() - began < 4


def test_no_snapshot_is_held(both, served):
    exchange(both.fast, GOOD + CLOSE)
    eventually(lambda: both.reads._snapshot is None)


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (GOOD, 0), (POST, 0), (POST[:-4], 4), (GOOD + b"G", -1), (GOOD[:-1], None), (CHUNKED, None), (b"", None),
        (get(b"x", b"Content-Length: 1\r\ncontent-length: 1\r\n"), None), (get(b"x", b"content-length: +1\r\n"), None),
        (get(b"x", b"Upgrade: x\r\n"), None), (get(b"x", b"X: a\x00\r\n"), None), (b"PUT / HTTP/1.1\r\n\r\n", None),
    ],
)  # fmt: skip
def test_what_is_still_to_come_of_a_request(data, wanted):
    assert body_to_come(data) == wanted


@pytest.mark.parametrize(
    "block",
    [b"\r\nX\r\n\r\n", b"\r\nX : y\r\n\r\n", b"\r\n\r\n\r\n", b"\r\nX: y\n\r\n\r\n", b"\r\nConnection: x\r\n\r\n"],
)
def test_fields_that_leave_doubts(block):
    assert plain_fields(block) is None


def test_a_head_may_have_no_fields():
    assert plain_fields(b"\r\n\r\n") == []


def test_a_value_is_of_the_epoch_that_its_answer_names(broker, tmp_path, short):
    app = Publisher(broker.address).publish(one=("long", "long"), other=("long", "long"))
    app.put("one", [(1, 1)], epoch=1)
    stores = Stores(app.name, app.brokers, tmp_path)
    with Server(None, stores, port=0) as server, httpx.Client(base_url=server.url) as client:
        stores.wait_ready(60)
        before = 0
        for epoch in range(2, 30):
            app.put("one", [(1, epoch)], epoch=epoch)
            for path in ("/stores/one/keys/1", f"/stores/one/keys/1?min_epoch={epoch}") * 3:
                answered = client.get(path)
                seen = int(answered.headers["holdfast-epoch"])
                assert answered.json() == seen >= before
                before = seen
            assert before == epoch
    assert len(short) > 28 * 3
