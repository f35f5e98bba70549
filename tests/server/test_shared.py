"""Servers that share the stores of an app: each answers all that one server alone would, also while one is gone."""

import logging
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import msgspec
import pytest

from holdfast.ops.ports import choose_port
from holdfast.server.access import EVERYBODY, Access
from holdfast.server.server import Server
from holdfast.sharing import membership, wire
from holdfast.sharing.membership import Said
from holdfast.sharing.shared_stores import SharedStores
from holdfast.sharing.sharing import Sharing
from holdfast.sharing.wire import Question
from holdfast.stores.snapshot import pack_types
from holdfast.topics.own_topics import server_topic
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually
from tests.security.secured import make_certificates
from tests.server.conftest import QUERY, make_app
from tests.server.test_rights import SHOP, digest
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
SECRET = "a-secret-of-all-servers"
RIGHTS = f'[token.shop]\nsha256 = "{digest(SHOP)}"\nstores = ["numbers"]\n[token.shop.prefixes]\nnames = ["a"]\n'


class Shared:
    """One server of several, in this process."""

    def __init__(self, name, brokers, directory, app=None, access=EVERYBODY, authority=None):
        self.stores = SharedStores(name, brokers, directory, {}, Sharing(0, SECRET, authority=authority))
        self.server = Server(app, self.stores, port=0, access=access).start()
        trust = ssl.create_default_context(cafile=authority)
        self.http = httpx.Client(base_url=self.server.url, timeout=20, verify=trust)

    def holds(self):
        shares = self.stores.shares
        return {number for number in shares.held if self.stores.readable(number, shares.of) is not None}

    def stop(self):
        self.http.close()
        self.server.stop()


def settled(*servers):
    """Wait until each share is held, and by one server only."""
    for each in servers:
        eventually(lambda each=each: each.http.get("/ready").status_code == 200)
    eventually(lambda: sorted(n for each in servers for n in each.holds()) == list(range(servers[0].stores.shares.of)))
    for each in servers:
        others = [other.stores.membership.name for other in servers if other is not each]
        eventually(
            lambda each=each, others=others: (
                {m.name for m in each.stores.membership.others(each.stores.shares.of) if m.said.held} == set(others)
            )
        )
    return servers


@pytest.fixture(scope="module")
def quick():
    """Servers that need not wait long for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(membership, "_SETTLE", 1.0)
        patch.setattr(membership, "_SAY", 0.1)
        yield


@pytest.fixture(scope="module")
def two(published, tmp_path_factory, quick):
    """Two servers, each with a part of the three partitions."""
    made = [
        Shared(
            published.name,
            published.brokers,
            tmp_path_factory.mktemp(f"s{n}"),
            make_app(published.name),
            Access(produce=True),
        )
        for n in range(2)
    ]
    yield settled(*made)
    for each in made:
        each.stop()


READS = [
    "/stores/leaderboard", "/stores/leaderboard/keys/1", "/stores/leaderboard/keys/9", "/stores/leaderboard/count",
    "/stores/numbers?limit=1000", "/stores/numbers?limit=7&reverse=true", "/stores/numbers?from=-5&to=5",
    "/stores/numbers/keys/1249", "/stores/numbers/keys/x", "/stores/numbers?limit=0", "/stores/numbers/count",
    "/stores/names", "/stores/names?prefix=a", "/stores/names/keys/a%2Fb", f"/stores/names/keys/{'long' * 200}",
    "/stores/visits", '/stores/visits?prefix={"user":"a"}', '/stores/visits/keys/{"user":"a","page":1}',
    "/stores/times", "/stores/times/keys/2026-01-02T00:00:00Z", "/stores/times?from=2026-01-02T00:00:00Z",
    "/stores/hours/keys/a?from=0", "/stores/hours/keys/a?from=3600000&limit=1", "/stores/hours/windows?from=3600000",
    "/stores/hours/windows?limit=2", "/stores/nowhere", "/stores/numbers/keys/1?min_epoch=6", "/topology",
    "/leaderboard", "/leaderboard/1", "/leaderboard/77", "/async/1", "/visits", "/hours/a", "/hours-of-all",
]  # fmt: skip
POSTS = [
    ("/stores/numbers/keys", {"keys": [*range(-30, 30), 99_999]}), ("/stores/names/keys", {"keys": ["a", "", "b"]}),
    ("/stores/visits/keys", {"keys": [{"user": "a", "page": 1}, {"user": "z", "page": 1}]}),
    ("/stores/names/get", {"key": "long" * 200}), ("/stores/numbers/page", {"from": "3", "limit": 2}),
    ("/stores/hours/windows", {"from": "0", "limit": 3}),
    ("/sql", {"query": "SELECT count(*), sum(value) FROM numbers"}),
    ("/sql", {"query": "SELECT * FROM names WHERE key = 'a'"}),
    ("/sql", {"query": "SELECT n.key FROM numbers n JOIN names m ON n.key = m.value ORDER BY 1"}),
]  # fmt: skip


@pytest.mark.parametrize("path", READS)
def test_each_server_reads_what_one_alone_would(two, http, path):
    wanted = http.get(path)
    for each in two:
        found = each.http.get(path)
        assert (found.status_code, found.content) == (wanted.status_code, wanted.content)
        for name in ("holdfast-epoch", "holdfast-session", "etag"):
            assert found.headers.get(name) == wanted.headers.get(name)
        assert "holdfast-stale" not in found.headers


@pytest.mark.parametrize(("path", "body"), POSTS)
def test_each_server_reads_what_one_alone_would_when_it_is_posted(two, http, path, body):
    wanted = http.post(path, json=body)
    for each in two:
        found = each.http.post(path, json=body)
        assert (found.status_code, found.json()) == (wanted.status_code, wanted.json())


def rows_of(held):
    with held.replica.reading() as snapshot:
        return snapshot.count("numbers")


def test_each_has_a_part_and_no_more(two):
    assert two[0].holds() & two[1].holds() == set()
    rows = [sum(rows_of(held) for held in each.stores.shares.held.values()) for each in two]
    assert sum(rows) == 2500
    assert min(rows) > 0


def test_stores_are_listed_with_the_counts_of_all(two):
    listed = {each["name"]: each["count"] for each in two[0].http.get("/stores").json()["stores"]}
    assert (listed["numbers"], listed["names"]) == (2500, 12)


def test_figures_are_those_of_this_server(two):
    rows = 0.0
    for each in two:
        (line,) = [
            x
            for x in each.http.get("/metrics").text.splitlines()
            if x.startswith('holdfast_store_rows{store="numbers"}')
        ]
        rows += float(line.split()[1])
    assert rows == 2500.0


@pytest.mark.parametrize("path", ["/stores/numbers/changes", "/stores/numbers/changes?after=0"])
def test_a_subscription_is_refused(two, path):
    answer = two[0].http.get(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "shared")


def test_a_query_is_not_watched(two):
    answer = two[0].http.post("/sql/changes", json={"query": "SELECT count(*) FROM numbers"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "shared")


def test_records_are_written_through_each(two, topics):
    topics.ensure([TopicSpec("scores", 1)])
    for each in two:
        answer = each.http.post("/topics/scores", json={"records": [{"key": "a", "value": 1}]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["session"].startswith("~scores:0:")


@pytest.mark.parametrize("path", ["/", "/dashboard/history", "/dashboard/letters", "/dashboard/topology"])
def test_the_dashboard_is_there(two, path):
    assert two[0].http.get(path).status_code == 200


def test_the_dashboard_counts_the_keys_of_all(two):
    found = two[0].http.get("/dashboard/now").json()
    assert {each["name"]: each["count"] for each in found["stores"]}["numbers"] == 2500
    assert found["replica"]["ready"]


def test_who_has_an_answer_already_gets_it_from_no_server_again(two):
    first = two[0].http.get("/stores/numbers?limit=5")
    again = two[1].http.get("/stores/numbers?limit=5", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("path", ["/stores/numbers/keys/7", "/stores/numbers/count"])
def test_a_session_goes_from_server_to_server(two, path):
    first = two[0].http.get(path)
    session = {"Holdfast-Session": first.headers["holdfast-session"]}
    again = two[1].http.get(path, headers=session, params={"max_staleness": "0s"})
    assert (again.status_code, again.content) == (200, first.content)
    assert two[1].http.get(path, headers={"Holdfast-Session": "nonsense"}).json()["error"]["code"] == "bad_session"


def asked_of(server, share, store="numbers", **more):
    of = server.stores.catalog.store(store)
    fields = {"operation": "count", "store": store, "types": pack_types(of.key, of.value), "shares": [share],
              "of": server.stores.shares.of, "epoch": server.stores.catalog.epoch, **more}  # fmt: skip
    return wire.encode(Question(**fields))


def test_other_servers_are_believed_only_with_the_secret(two):
    server = two[0]
    (held, *_), url = sorted(server.holds()), server.stores.url + wire.PATH
    body = asked_of(server, held)
    signed = {wire.SIGNATURE: wire.sign(SECRET.encode(), body)}
    answer = httpx.post(url, content=body, headers=signed)
    wire.check(SECRET.encode(), answer.content, answer.headers[wire.SIGNATURE], signed[wire.SIGNATURE])
    assert wire.answer(answer.content).number > 0
    other = {wire.SIGNATURE: wire.sign(b"another-secret", body)}
    for content, headers in [(body, {}), (body, other), (body + b"x", signed), (b"", signed)]:
        refused = httpx.post(url, content=content, headers=headers)
        assert refused.status_code == 403
        assert b"numbers" not in refused.content
    for method, path in [("GET", wire.PATH), ("GET", "/stores"), ("POST", "/stores/numbers/keys")]:
        assert httpx.request(method, server.stores.url + path).status_code == 403


def test_what_others_write_among_the_servers_changes_nothing(two, topics):
    server, of = two[0], two[0].stores.shares.of
    known = {each.name for each in server.stores.membership.others(of)}
    said = msgspec.json.encode(Said("http://127.0.0.1:1", of, {str(n): 99 for n in range(of)}))
    signed = wire.sign(b"another-secret", said, "mallory").encode() + b"\n" + said
    topic = server_topic(server.stores.app)
    topics.produce(
        Record(topic, name.encode(), value) for name in ("mallory", *known) for value in (said, signed, b"x")
    )
    topics.produce([Record(topic, b"nobody", None)])
    time.sleep(0.5)
    assert {each.name for each in server.stores.membership.others(of)} == known
    assert server.http.get("/stores/numbers/count").json() == {"count": 2500}


def test_a_question_is_never_passed_on(two):
    for server in two:
        for share in set(range(3)) - server.holds():
            body = asked_of(server, share)
            answer = httpx.post(
                server.stores.url + wire.PATH, content=body, headers={wire.SIGNATURE: wire.sign(SECRET.encode(), body)}
            )
            assert "not held here" in wire.answer(answer.content).refused


def test_rights_hold_for_what_others_have_and_the_caller_goes_with_the_question(
    published, tmp_path, quick, caplog, two
):
    file = tmp_path / "rights.toml"
    file.write_text(RIGHTS)
    file.chmod(0o600)
    caplog.set_level(logging.DEBUG, "holdfast.sharing")
    server = Shared(published.name, published.brokers, tmp_path / "s", access=Access(rights=file))
    known = {"Authorization": f"Bearer {SHOP}"}
    try:
        eventually(lambda: server.http.get("/ready").status_code == 200)
        assert server.http.get("/stores/numbers/count", headers=known).json() == {"count": 2500}
        assert "count of numbers for 'shop'" in caplog.text
        for path in ("/stores/names", "/stores/names/keys/%2B1", "/stores/hours/keys/a?from=0"):
            assert server.http.get(path, headers=known).status_code == 403
        assert server.http.get("/stores/names/keys/a", headers=known).json() == 1
    finally:
        server.stop()


@pytest.fixture
def app(broker):
    """An app of its own, whose epochs a test makes."""
    publisher = Publisher(broker.address, partitions=4).publish(numbers=("long", "long"))
    publisher.query = QUERY
    publisher.put("numbers", [(n, 1) for n in range(100)], epoch=1)
    return publisher


def test_a_replica_that_stands_still_is_read_as_it_is_and_the_answer_says_so(app, tmp_path, quick):
    servers = settled(*(Shared(app.name, app.brokers, tmp_path / f"s{n}") for n in range(2)))
    asked, other = servers
    try:
        for held in other.stores.shares.held.values():
            held.follower.stop()  # it answers, but hears nothing any more
        app.put("numbers", [(n, 2) for n in range(100)], epoch=2)
        eventually(lambda: asked.http.get("/health").json()["epoch"] == 2)
        time.sleep(1.1)
        answers = [asked.http.get(f"/stores/numbers/keys/{n}") for n in range(30)]
        seen = {(each.text, each.headers["holdfast-epoch"], "holdfast-stale" in each.headers) for each in answers}
        assert seen == {("2", "2", False), ("1", "1", True)}
        late = next(n for n, each in enumerate(answers) if each.text == "1")
        refused = asked.http.get(f"/stores/numbers/keys/{late}?min_epoch=2")
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "share_unavailable")
        fresh = next(n for n, each in enumerate(answers) if each.text == "2")
        session = {"Holdfast-Session": answers[fresh].headers["holdfast-session"]}
        refused = asked.http.get(f"/stores/numbers/keys/{late}", headers=session)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "share_unavailable")
        there = other.http.get(f"/stores/numbers/keys/{late}")
        assert (there.text, int(there.headers["holdfast-stale"]) >= 1) == ("1", True)
    finally:
        for each in servers:
            each.stop()


def test_servers_with_certificates_ask_each_other_over_tls(app, tmp_path, quick):
    made = make_certificates(tmp_path)
    access = Access(certificate=made.chain, key=made.key)
    servers = settled(
        *(Shared(app.name, app.brokers, tmp_path / f"s{n}", access=access, authority=made.authority) for n in range(2))
    )
    try:
        for each in servers:
            assert each.stores.url.startswith("https://")
            assert each.http.get("/stores/numbers/count").json() == {"count": 100}
            assert [each.http.get(f"/stores/numbers/keys/{n}").text for n in range(20)] == ["1"] * 20
    finally:
        for each in servers:
            each.stop()


def test_an_app_without_epochs_is_read_as_it_is_now(app, tmp_path, quick):
    app.mark(2, live=True)
    servers = settled(*(Shared(app.name, app.brokers, tmp_path / f"s{n}") for n in range(2)))
    try:
        app.put("numbers", [(n, 3) for n in range(100)], epoch=3, mark=False)
        for each in servers:
            page = eventually(
                lambda each=each: each.http.get("/stores/numbers").json()["entries"],
                until=lambda entries: {entry["value"] for entry in entries} == {3},
            )
            assert len(page) == 100
            assert "holdfast-epoch" not in each.http.get("/stores/numbers/keys/1").headers
    finally:
        for each in servers:
            each.stop()


def test_a_restart_goes_on_from_its_files(app, tmp_path, quick, caplog):
    first = Shared(app.name, app.brokers, tmp_path / "s")
    settled(first)
    first.stop()
    app.put("numbers", [(n, 2) for n in range(10)], epoch=2)
    again = Shared(app.name, app.brokers, tmp_path / "s")
    try:
        settled(again)
        eventually(lambda: again.http.get("/stores/numbers/keys/5").text == "2")
        assert again.http.get("/stores/numbers/keys/50").text == "1"
        assert again.stores.follower.restores == {}
        assert again.stores.membership.name == first.stores.membership.name
    finally:
        again.stop()


def test_an_app_that_begins_again_is_another_timeline(app, tmp_path, quick):
    servers = settled(*(Shared(app.name, app.brokers, tmp_path / f"s{n}") for n in range(2)))
    try:
        before = {"Holdfast-Session": servers[0].http.get("/stores/numbers/keys/1").headers["holdfast-session"]}
        app.query = "deadbeef-0000-4000-8000-000000000000"
        app.put("numbers", [(n, 9) for n in range(100)], epoch=1)
        for each in servers:
            eventually(lambda each=each: each.http.get("/stores/numbers/keys/1").text == "9")
            eventually(lambda each=each: each.http.get("/stores/numbers/count").status_code == 200)
            now = each.http.get("/stores/numbers")
            assert now.headers["holdfast-session"] == "deadbeef0000.1"
            assert {entry["value"] for entry in now.json()["entries"]} == {9}
            gone = each.http.get("/stores/numbers/keys/1", headers=before)
            assert (gone.status_code, gone.json()["error"]["code"]) == (410, "history_gone")
    finally:
        for each in servers:
            each.stop()


APP = """
import holdfast as hf
app = hf.App({name!r})
app.stream("scores", str, key=int).group_by_key().count(store="numbers")
app.run()
"""


class Process:
    """A `holdfast serve` that shares, as a process of its own."""

    def __init__(self, app, directory, number):
        file, secret = directory / "app.py", directory / "secret"
        file.write_text(APP.format(name=app.name))
        secret.write_text(SECRET)
        self.port = choose_port()
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=30)
        self._log = (directory / f"log-{number}").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast.cli.main", "serve", str(file), "--brokers", app.brokers, "--port",
             str(self.port), "--share", "--standbys", "1", "--share-secret", str(secret), "--state-dir",
             str(directory / f"s{number}")], stdout=self._log, stderr=self._log,
        )  # fmt: skip

    def get(self, path):
        return self._http.get(path)

    def is_ready(self):
        try:
            return self.get("/ready").status_code == 200
        except httpx.TransportError:
            return False

    def holds(self):
        """How many shares it has."""
        try:
            return int(self.get("/health").json()["role"].split()[2])
        except httpx.TransportError:
            return 0

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        self.process.wait(60)
        self._http.close()
        self._log.close()


class Load:
    """Writes epoch after epoch, each with all keys, and reads pages and keys meanwhile."""

    def __init__(self, app, server):
        self.wrong, self.pages, self._shown = [], 0, 1
        self._app, self._server = app, server
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=each) for each in (self._write, self._read)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _write(self):
        epoch = 1
        while not self._stop.wait(0.05):
            if self._shown < epoch - 2:
                continue  # no faster than they are followed here
            epoch += 1
            self._app.put("numbers", [(n, epoch) for n in range(100)], epoch=epoch)

    def _read(self):
        while not self._stop.is_set():
            page = self._server.get("/stores/numbers?limit=1000")
            self._shown = int(page.headers.get("holdfast-epoch", self._shown))
            values = {each["value"] for each in page.json().get("entries", ())}
            if values != {int(page.headers.get("holdfast-epoch", -1))} or len(page.json()["entries"]) != 100:
                self.wrong.append(page.text[:300])
            one = self._server.get(f"/stores/numbers/keys/{self.pages % 100}")
            if one.text != one.headers.get("holdfast-epoch"):
                self.wrong.append(one.text[:300])
            self.pages += 1


@contextmanager
def hearing(app):
    """What servers say of themselves."""
    heard = membership.Membership(app.name, "observer", app.brokers, {}, SECRET)
    heard.start()
    try:
        yield heard.others
    finally:
        heard.stop()


def test_a_server_is_killed_and_another_takes_over_and_no_request_fails(app, tmp_path):
    servers = [Process(app, tmp_path, number) for number in range(3)]
    try:
        for each in servers:
            eventually(each.is_ready)
        asked, killed, _ = servers
        eventually(lambda: sorted(each.holds() for each in servers), until=lambda held: held == [2, 3, 3])
        with Load(app, asked) as load:
            with hearing(app) as others:
                # Each share can be read from two servers, and all of them have heard so.
                eventually(lambda: all(sum(m.epoch(n) is not None for m in others(4)) == 2 for n in range(4)))
            seen = load.pages
            eventually(lambda: load.pages > seen + 20)
            killed.end(signal.SIGKILL)
            servers[1] = Process(app, tmp_path, 3)
            eventually(lambda: sorted(each.holds() for each in servers), until=lambda held: held == [2, 3, 3])
            seen = load.pages
            eventually(lambda: load.pages > seen + 20)
        assert load.wrong == []
    finally:
        for each in servers:
            each.end()
