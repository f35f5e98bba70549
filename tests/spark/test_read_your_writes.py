"""A client that writes through a server reads the effect of it, also of an app that begins again from nothing."""

import shutil
from dataclasses import replace

import pytest

import holdfast as hf
from holdfast.server import consistency
from holdfast.server.access import Access
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from tests.eventually import eventually


def made(name):
    app = hf.App(name, tasks=2)
    visits = app.stream(f"{name}-visits", "page STRING NOT NULL", key=str)
    visits.group_by_key().count(store="per-user")
    # Another stage: its effect is that of the same record.
    visits.group_by(lambda v: v.page).count(store="per-page")
    return app


@pytest.fixture
def app(topics, suffix, run):
    app = made(f"writes{suffix}")
    topics.create(hf_topic(f"{app.name}-visits"))
    return app


def hf_topic(name):
    from holdfast.topics.records import TopicSpec

    return TopicSpec(name, 3)


def test_every_read_has_counted_what_was_written(app, topics, run, tmp_path, monkeypatch):
    monkeypatch.setattr(consistency, "TIMEOUT", 120)  # a busy machine may need long for an epoch
    running = run(app)
    stores = Stores(app.name, topics.brokers, tmp_path / "replica")
    with (
        Server(app, stores, port=0, access=Access(produce=True)) as server,
        hf.connect(server.url, timeout=150) as client,
    ):
        eventually(lambda: "per-page" in client.stores(), seconds=120)
        users, pages = client["per-user"], client["per-page"]
        for n in range(1, 13):
            written = client.produce(f"{app.name}-visits", {"page": "home"}, key=f"user-{n % 3}")
            assert written.startswith(f"~{app.name}-visits:")
            with hf.connect(server.url, session=written, timeout=150) as other:
                assert other["per-user"][f"user-{n % 3}"] == (n + 2) // 3
            assert users[f"user-{n % 3}"] == (n + 2) // 3
            assert pages["home"] == n
            assert client.sql('SELECT sum(value) AS n FROM "per-user"').rows == [{"n": n}]
        session = client.session
        assert "~" not in session  # all of it was read
        many = [{"key": "many", "value": {"page": "cart"}}] * 500
        client.produce_many(f"{app.name}-visits", many)
        assert (users["many"], pages["cart"]) == (500, 500)

        running.stop()
        shutil.rmtree(tmp_path / "state" / app.name)
        again = made(app.name)
        again.settings = replace(again.settings, auto_offset_reset="earliest")
        run(again)
        eventually(lambda: began_again(client), seconds=120)
        client.produce(f"{app.name}-visits", {"page": "home"}, key="user-0")
        assert users["user-0"] == 5
        assert client.session.partition(".")[0] != session.partition(".")[0]


def began_again(client):
    """Whether the client was told, once, that the epochs that it has seen are gone."""
    try:
        client["per-user"].get("user-0")
    except hf.RequestError as error:
        return error.code == "history_gone"
    return False


def test_what_the_app_cannot_read_is_refused(app, topics, run, tmp_path):
    run(app)
    stores = Stores(app.name, topics.brokers, tmp_path / "replica")
    with Server(app, stores, port=0, access=Access(produce=True)) as server, hf.connect(server.url) as client:
        stores.wait_ready(90)
        topic = f"{app.name}-visits"
        for wrong, code in (
            ((topic, {"page": 5}), "wrong_type"),
            ((topic, "home"), "wrong_type"),
            ((f"{app.name}-per-user-changelog", {"page": "x"}), "unknown_topic"),
            ((f"{app.name}-meta", {"page": "x"}), "unknown_topic"),
            (("others", {"page": "x"}), "unknown_topic"),
        ):
            with pytest.raises(hf.RequestError) as refused:
                client.produce(*wrong)
            assert refused.value.code == code
        with pytest.raises(hf.RequestError) as refused:
            client.produce_many(topic, [])
        assert refused.value.code == "bad_body"
    with Server(None, Stores(app.name, topics.brokers, tmp_path / "other"), port=0) as server:
        with hf.connect(server.url) as client, pytest.raises(hf.RequestError) as refused:
            client.produce(topic, {"page": "x"})
        assert refused.value.code == "produce_off"
