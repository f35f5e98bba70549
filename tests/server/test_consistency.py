"""What a read may ask for beside an epoch: a session, what was written, and how fresh it is."""

import threading

import httpx
import pytest

import holdfast as hf
from holdfast.server import consistency
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually
from tests.stores.publisher import Publisher

pytestmark = pytest.mark.broker
FIRST, SECOND = "11111111-aaaa-4000-8000-000000000000", "22222222-bbbb-4000-8000-000000000000"
OLD, NEW = "11111111aaaa", "22222222bbbb"


@pytest.fixture
def app(broker):
    publisher = Publisher(broker.address)
    program = hf.App(publisher.name)
    program.stream("clicks", str, key=str).group_by_key().count(store="counts")
    publisher.publish(program.topology.json()["nodes"], counts=("string", "long"))
    publisher.query = FIRST
    publisher.read = {"clicks": {"0": 5}}
    publisher.put("counts", [("a", 1), ("b", 2)], epoch=1)
    return publisher


@pytest.fixture
def serve(app, tmp_path):
    """Starts a server with a replica of its own, or again with that of an earlier one."""
    made = []

    def start(name="one"):
        program = hf.App(app.name)
        program.stream("clicks", str, key=str).group_by_key().count(store="counts")
        counts = program.store("counts")
        program.get("/one/{key}")(_route(counts))
        stores = Stores(app.name, app.brokers, tmp_path / name)
        made.append(Server(program, stores, port=0).start())
        stores.wait_ready(90)
        return made[-1]

    yield start
    for server in made:
        server.stop()


def _route(counts):
    def one(key: str):
        return counts[key]

    return one


def get(server, path="/stores/counts/keys/a", session="", **parameters):
    return httpx.get(f"{server.url}{path}", params=parameters, headers={"Holdfast-Session": session}, timeout=30)


def code(answer):
    return answer.status_code, answer.json()["error"]["code"]


def begin_again(app, epoch=0, items=(("a", 100),)):
    """The app without its checkpoint: another query, and epochs from 0 on."""
    query, app.query, read, app.read = SECOND, None, app.read, {"clicks": {"0": 0}}
    app.mark(-1)
    app.query, app.read = query, read
    app.put("counts", items, epoch=epoch)


def test_answers_name_the_session(app, serve):
    server = serve()
    for path in ("/stores/counts/keys/a", "/stores/counts", "/one/a"):
        found = httpx.get(server.url + path)
        assert (found.headers["holdfast-epoch"], found.headers["holdfast-session"]) == ("1", f"{OLD}.1")


@pytest.mark.parametrize("path", ["/stores/counts/keys/a", "/one/a"])
def test_a_session_of_another_server_is_waited_for(app, serve, path):
    server, answers = serve(), []
    asking = threading.Thread(target=lambda: answers.append(get(server, path, f"{OLD}.2")))
    asking.start()
    app.put("counts", [("a", 7)], epoch=2)
    asking.join()
    assert (answers[0].json(), answers[0].headers["holdfast-session"]) == (7, f"{OLD}.2")


def test_what_was_written_is_read(app, serve, monkeypatch):
    server = serve()
    assert get(server, session="~clicks:0:4").json() == 1
    answers = []
    asking = threading.Thread(target=lambda: answers.append(get(server, session="~clicks:0:5")))
    asking.start()
    app.put("counts", [("b", 3)], epoch=2)  # an epoch that has not read it
    app.read = {"clicks": {"0": 6}}
    app.put("counts", [("a", 2)], epoch=3)
    asking.join()
    assert (answers[0].json(), answers[0].headers["holdfast-epoch"]) == (2, "3")
    monkeypatch.setattr(consistency, "TIMEOUT", 0.2)
    late = get(server, session="~clicks:0:6~others:0:0")
    assert code(late) == (504, "epoch_not_reached")
    assert "the app has not read in 0.2 s: clicks 0 to 6, others 0 to 0" in late.json()["error"]["message"]


def test_what_is_no_session(app, serve):
    assert code(get(serve(), session="118")) == (400, "bad_session")


def test_an_app_that_begins_again_has_none_of_its_old_epochs(app, serve):
    server = serve()
    begin_again(app)
    eventually(lambda: get(server).headers.get("holdfast-session") == f"{NEW}.0")
    assert code(get(server, session=f"{OLD}.1")) == (410, "history_gone")
    assert get(server, session=f"{NEW}.0").json() == 100
    assert get(server, session="~clicks:0:4").json() == 100


def test_a_server_that_never_saw_the_old_epochs(app, serve, monkeypatch):
    begin_again(app)
    monkeypatch.setattr(consistency, "TIMEOUT", 0.2)
    assert code(get(serve(), session=f"{OLD}.1")) == (410, "history_gone")


def test_a_server_that_was_away_when_the_app_began_again(app, serve):
    """The new epochs have larger numbers: nothing but the timeline says that they are others."""
    first = serve()
    with httpx.stream("GET", f"{first.url}/stores/counts/changes") as events:
        seen = next(line for line in events.iter_lines() if line.startswith("id: "))
    assert seen == f"id: {OLD}.1"
    first.stop()
    begin_again(app, epoch=5)
    server = serve()
    eventually(lambda: get(server).headers.get("holdfast-session") == f"{NEW}.5")
    assert code(get(server, session=f"{OLD}.1")) == (410, "history_gone")
    for headers, parameters in (({"Last-Event-ID": f"{OLD}.1"}, {}), ({}, {"after": "1"}), ({}, {"after": f"{OLD}.1"})):
        gone = httpx.get(f"{server.url}/stores/counts/changes", headers=headers, params=parameters)
        assert code(gone) == (410, "history_gone")


def test_a_subscriber_goes_on_in_its_timeline(app, serve):
    server = serve()
    app.put("counts", [("a", 2)], epoch=2)
    with (
        httpx.Client(base_url=server.url, headers={"Last-Event-ID": f"{OLD}.1"}) as client,
        client.stream("GET", "/stores/counts/changes") as events,
    ):
        lines = events.iter_lines()
        assert [next(lines) for _ in range(3)] == [
            "event: epoch",
            f"id: {OLD}.2",
            f'data: {{"epoch":2,"id":"{OLD}.2","changes":[{{"key":"a","value":2}}]}}',
        ]


def test_nothing_that_was_published_is_missed(app, serve):
    """Without max_staleness the copy is a few milliseconds behind, so one of these reads would be, too."""
    server = serve()
    for epoch in range(2, 32):
        app.put("counts", [("a", epoch)], epoch=epoch)
        assert get(server, max_staleness="0s").json() == epoch
    assert get(server, max_staleness="1 hour").json() == 31


@pytest.mark.parametrize("text", ["", "5", "soon", "-1s"])
def test_no_duration(app, serve, text):
    assert code(get(serve(), max_staleness=text)) == (400, "bad_parameter")


def test_a_broker_that_does_not_answer_is_not_fresh(app, serve, monkeypatch):
    server = serve()
    assert get(server, max_staleness="1 minute").json() == 1

    def fails():
        raise TimeoutError

    monkeypatch.setattr(server._stores.follower, "measure_meta", fails)
    monkeypatch.setattr(consistency, "TIMEOUT", 0.3)
    assert code(get(server, max_staleness="10ms")) == (504, "too_stale")
    assert get(server, max_staleness="1 minute").json() == 1
    assert get(server).json() == 1


def test_an_app_without_epochs_promises_nothing(app, serve):
    app.mark(1, live=True)
    server = serve()
    eventually(lambda: server._stores.catalog.live)
    assert code(get(server, session=f"{OLD}.1")) == (409, "no_epochs")
    assert code(get(server, max_staleness="1s")) == (409, "no_epochs")
    assert get(server).json() == 1


def test_a_client_hands_its_session_on(app, serve):
    server = serve()
    with hf.connect(server.url) as first:
        assert first["counts"]["a"] == 1
        assert first.session == f"{OLD}.1"
        later = f"{OLD}.2"
    with hf.connect(server.url, session=later) as second:
        threading.Timer(0.2, lambda: app.put("counts", [("a", 9)], epoch=2)).start()
        assert second["counts"]["a"] == 9
    with pytest.raises(hf.HoldfastError, match="is no session token"):
        hf.connect(server.url, session="what?")


def test_a_client_hears_once_that_the_app_began_again(app, serve):
    server = serve()
    with hf.connect(server.url, max_staleness="0s") as client:
        counts = client["counts"]
        assert counts["a"] == 1
        begin_again(app)
        with pytest.raises(hf.RequestError, match="begun again from nothing") as gone:
            eventually(lambda: counts["a"] == 100)
        assert gone.value.code == "history_gone"
        assert eventually(lambda: counts["a"]) == 100
        assert client.session == f"{NEW}.0"
