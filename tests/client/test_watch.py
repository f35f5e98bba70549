"""Stores that are watched from Python: what there is, then every epoch, also when the server goes away for a while."""

import asyncio
import json
import socket
import subprocess
import sys

import httpx
import pytest

import holdfast as hf
from holdfast.server.server import Server
from holdfast.stores.backend import Stores
from holdfast.testing import Driver
from tests.eventually import eventually
from tests.stores.publisher import Publisher, record

pytestmark = pytest.mark.broker


@pytest.fixture
def app(broker):
    publisher = Publisher(broker.address)
    publisher.publish(counts=("string", "long"))
    publisher.put("counts", [("a", 1), ("b", 2)], epoch=1)
    return publisher


@pytest.fixture
def serve(app, tmp_path):
    running = []

    def start(port=0, name="state"):
        stores = Stores(app.name, app.brokers, tmp_path / name)
        server = Server(None, stores, port=port)
        running.append(server.start())
        stores.wait_ready(90)
        return server

    yield start
    for server in running:
        server.stop()


def test_everything_first_and_then_what_changes(app, serve):
    with hf.connect(serve().url) as client:
        updates = client["counts"].watch()
        assert next(updates) == hf.StoreUpdate(1, {"a": 1, "b": 2}, is_snapshot=True)
        app.put("counts", [("a", 3), ("b", None)], epoch=2)
        assert next(updates) == hf.StoreUpdate(2, {"a": 3, "b": None})
        app.put("counts", [], epoch=3)
        assert next(updates) == hf.StoreUpdate(3, {})


def test_what_is_read_after_an_update_is_no_older(app, serve):
    with hf.connect(serve().url) as client:
        updates = client["counts"].watch()
        next(updates)
        app.put("counts", [("a", 3)], epoch=4)
        assert next(updates).epoch == 4
        assert client.epoch == 4


def test_keys_and_ranges(app, serve):
    with hf.connect(serve().url) as client:
        counts = client["counts"]
        of_a, from_b, beginning = counts.watch("a", "0"), counts.watch(start="b"), counts.watch(prefix="b")
        assert [next(each).changes for each in (of_a, from_b, beginning)] == [{"a": 1}, {"b": 2}, {"b": 2}]
        app.put("counts", [("0", 1), ("bb", 2), ("c", 3)], epoch=2)
        found = [next(each).changes for each in (of_a, from_b, beginning)]
        assert found == [{"0": 1}, {"bb": 2, "c": 3}, {"bb": 2}]


def test_it_goes_on_behind_an_epoch_that_was_seen(app, serve):
    with hf.connect(serve().url) as client:
        assert next(client["counts"].watch()).epoch == 1
        app.put("counts", [("a", 3)], epoch=2)
        assert next(client["counts"].watch(after=1)) == hf.StoreUpdate(2, {"a": 3})


def test_an_epoch_that_is_gone_says_so(app, serve):
    with hf.connect(serve().url) as client, pytest.raises(hf.RequestError, match="are gone.*start again") as refused:
        next(client["counts"].watch(after=0))
    assert refused.value.code == "history_gone"


def test_a_server_that_goes_away_and_comes_back_loses_nothing(app, serve):
    first = serve(free_port())
    port = int(first.url.rpartition(":")[2])
    with hf.connect(first.url) as client:
        updates = client["counts"].watch()
        next(updates)
        first.stop()
        app.put("counts", [("a", 3)], epoch=2)
        app.put("counts", [("b", 4)], epoch=3)
        serve(port)
        state = {}
        while state != {"a": 3, "b": 4}:
            update = next(updates)
            assert not update.is_snapshot
            state |= update.changes


def restarted_with_a_wider_type(app, serve, server):
    port = int(server.url.rpartition(":")[2])
    server.stop()
    app.publish(totals=("string", record(n="long", tag="string")))
    url = serve(port).url

    def is_read_anew():
        of_totals = {each["name"]: each["value"] for each in httpx.get(f"{url}/stores").json()["stores"]}["totals"]
        answer = httpx.get(f"{url}/stores/totals/keys/a")
        return "tag" in str(of_totals) and (answer.status_code, answer.headers.get("Holdfast-Epoch")) == (200, "1")

    eventually(is_read_anew)  # with the epoch that comes next it would be another history
    app.put("totals", [("a", {"n": 2, "tag": "x"})], epoch=2)


@pytest.fixture
def totals(app):
    app.publish(totals=("string", record(n="long")))
    app.put("totals", [("a", {"n": 1})], epoch=1)


def test_after_a_change_of_the_program_values_have_their_new_type(app, serve, totals):
    server = serve(free_port())
    with hf.connect(server.url) as client:
        updates = client["totals"].watch()
        assert next(updates).changes == {"a": {"n": 1}}
        restarted_with_a_wider_type(app, serve, server)
        found = next(update.changes for update in updates if update.changes)
    assert found == {"a": {"n": 2, "tag": "x"}}


def test_after_a_change_of_the_program_awaited_values_have_their_new_type(app, serve, totals):
    server = serve(free_port())

    async def follow():
        found = []
        async with hf.connect_async(server.url) as client:
            async for update in (await client.store("totals")).watch():
                found += [update.changes] * bool(update.changes)
                if len(found) == 2:
                    break
                if update.is_snapshot:
                    await asyncio.to_thread(restarted_with_a_wider_type, app, serve, server)
        return found

    assert asyncio.run(follow()) == [{"a": {"n": 1}}, {"a": {"n": 2, "tag": "x"}}]


def test_no_server_at_all_is_said_at_once(app, serve):
    server = serve()
    with hf.connect(server.url) as client:
        counts = client["counts"]
        server.stop()
        with pytest.raises(hf.RequestError, match="no server answers"):
            next(counts.watch())


def test_awaited(app, serve):
    url = serve().url

    async def follow():
        async with hf.connect_async(url) as client:
            counts = await client.store("counts")
            found = []
            async for update in counts.watch("a"):
                found.append(update.changes)
                if len(found) == 2:
                    break
                app.put("counts", [("a", 5)], epoch=2)
        return found

    assert asyncio.run(follow()) == [{"a": 1}, {"a": 5}]


def test_the_command_prints_what_there_is_and_what_comes(app, serve):
    command = [sys.executable, "-m", "holdfast.cli.main", "query", "counts", "a", "--watch", "--url", serve().url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "1  a  1\n"
        app.put("counts", [("a", None), ("b", 7)], epoch=2)
        assert process.stdout.readline() == "2  a  deleted\n"
        process.kill()


def test_the_command_prints_a_json_object_per_epoch(app, serve):
    command = [sys.executable, "-m", "holdfast.cli.main", "query", "counts", "--watch", "--json", "--url", serve().url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        first = {"epoch": 1, "changes": [{"key": "a", "value": 1}, {"key": "b", "value": 2}]}
        assert json.loads(process.stdout.readline()) == first
        process.kill()


def test_a_handle_of_the_driver_says_where_it_is_watched():
    program = hf.App("clicks")
    program.stream("clicks", str, key=str).group_by_key().count(store="counts")
    with Driver(program) as driver, pytest.raises(hf.HoldfastError, match=r"watched with hf.connect\(URL\)"):
        next(driver.store("counts").watch("a"))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
