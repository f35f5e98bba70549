"""Replicas that follow real topics: order, deletes, crashes, changed topics, several processes."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import lmdb
import pytest

from holdfast.errors import HoldfastError, KeyNotFound
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import StoreNotReady
from holdfast.stores.connection import Connection
from tests.eventually import eventually
from tests.stores.publisher import Publisher, record

pytestmark = pytest.mark.broker


@pytest.fixture
def publisher(broker):
    return Publisher(broker.address)


@pytest.fixture
def opened(publisher, tmp_path):
    made = []

    def open_stores(directory=tmp_path, ready=True):
        stores = Stores(publisher.name, publisher.brokers, directory).start()
        made.append(stores)
        if ready:
            stores.wait_ready(90)
        return stores

    yield open_stores
    for stores in made:
        stores.stop()


def read(stores, store):
    return dict(stores.store(store).all())


def lines_of(process):
    return iter(lambda: process.stdout.readline().decode().strip(), "")


def test_a_store_is_read_in_order_and_deletes_disappear(publisher, opened):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(n, n * n) for n in range(-50, 50)])
    publisher.put("counts", [(0, None), (1, 7)], epoch=2)
    counts = opened().store("counts")
    assert [k for k, _ in counts.all()] == [n for n in range(-50, 50) if n != 0]
    assert counts.get(1) == 7
    assert counts.count() == 99
    assert [k for k, _ in counts.range(-3, 2)] == [-3, -2, -1, 1, 2]
    assert [k for k, _ in counts.range(-3, 2, reverse=True)] == [2, 1, -1, -2, -3]
    with pytest.raises(KeyNotFound, match="store 'counts' has no key 0"):
        counts.get(0)
    with pytest.raises(HoldfastError, match="wanted long"):
        counts.get("1")


def test_what_is_written_later_arrives_with_its_epoch(publisher, opened):
    publisher.publish(counts=("string", "long"))
    stores = opened()
    assert stores.status().epoch is None
    publisher.put("counts", [("a", 1)], epoch=7)
    eventually(lambda: read(stores, "counts") == {"a": 1})
    eventually(lambda: stores.status().epoch == 7)
    publisher.mark(9)  # an epoch that changed no store
    eventually(lambda: stores.status().epoch == 9)


def test_keys_and_values_of_every_type_come_back(publisher, opened):
    place = record(user="string", day="date")
    value = record(at="timestamp", raw="binary", amount="decimal(20,2)", ratio="double", tags="string")
    publisher.publish(places=(place, value), times=("timestamp", "long"), raw=("binary", "boolean"))
    stored = {"at": "2026-01-01T00:00:00.500Z", "raw": "aGk=", "amount": 123456789012345678.25, "ratio": "NaN"}
    publisher.put("places", [({"user": "ü", "day": "2026-01-02"}, {**stored, "tags": None})])
    publisher.put("times", [("2026-01-01T00:00:00Z", 1), ("1969-12-31T23:59:59.999Z", 0)])
    publisher.put("raw", [(b"\xff\x00", True)])
    stores = opened()
    ((key, found),) = stores.store("places").all()
    assert key["user"] == "ü"
    assert key["day"].isoformat() == "2026-01-02"
    assert found["at"] == datetime(2026, 1, 1, 0, 0, 0, 500_000, tzinfo=UTC)
    assert found["raw"] == b"hi"
    assert found["ratio"] != found["ratio"]
    assert [k.year for k, _ in stores.store("times").all()] == [1969, 2026]
    assert read(stores, "raw") == {b"\xff\x00": True}


def test_record_keys_are_found_by_prefix(publisher, opened):
    publisher.publish(visits=(record(user="string", page="long"), "long"))
    keys = [{"user": user, "page": page} for user in ("a", "a\x00", "ab", "b") for page in (-1, 0, 10)]
    publisher.put("visits", [(key, 1) for key in keys])
    visits = opened().store("visits")
    assert [k for k, _ in visits.all()] == keys
    assert [k for k, _ in visits.range(prefix={"user": "a"})] == keys[:3]
    assert [k for k, _ in visits.range({"user": "a", "page": 0}, {"user": "ab"})] == keys[1:9]


def test_a_killed_replica_resumes_and_equals_a_full_one(publisher, opened, tmp_path):
    publisher.publish(counts=("long", "string"))
    items = [(n % 20_000, f"value {n}") for n in range(60_000)]
    publisher.put("counts", items[:30_000])
    publisher.put("counts", [(n, None) for n in range(0, 20_000, 3)], epoch=2)
    publisher.put("counts", items[30_000:], epoch=3)
    publisher.put("counts", [(n, None) for n in range(0, 20_000, 7)], epoch=4)
    program = (
        "import sys; from pathlib import Path; from holdfast.stores.backend import Stores\n"
        "stores = Stores(sys.argv[1], sys.argv[2], Path(sys.argv[3])).start()\n"
        "store = stores.store('counts')\n"
        "import time\n"
        "while True:\n"
        "    try: print(store.count(), flush=True)\n"
        "    except Exception: print(0, flush=True)\n"
        "    time.sleep(0.002)\n"
    )
    interrupted = 0
    for wanted in (1, 8_000, 14_000):
        command = [sys.executable, "-c", program, publisher.name, publisher.brokers, str(tmp_path / "killed")]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            seen = next(n for line in lines_of(process) if (n := int(line)) >= wanted)
            os.kill(process.pid, signal.SIGKILL)
        interrupted += seen < 17_000
    assert interrupted, "every kill came too late to matter"
    resumed, full = opened(tmp_path / "killed"), opened(tmp_path / "full")
    assert read(resumed, "counts") == read(full, "counts")
    assert resumed.store("counts").count() == len(read(full, "counts"))
    assert resumed.status().epoch == full.status().epoch == 4


def test_a_second_start_does_not_read_again(publisher, tmp_path):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(n, n) for n in range(100)])
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        stores.wait_ready(90)
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        assert stores.store("counts").count() == 100  # at once, before the broker was asked
        stores.wait_ready(90)
    with Stores(publisher.name, "127.0.0.1:1", tmp_path) as stores:
        assert stores.store("counts").get(7) == 7  # and with no broker at all


def test_a_topic_made_anew_is_read_from_the_beginning(publisher, opened):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(n, n) for n in range(100)])
    stores = opened()
    assert stores.store("counts").count() == 100
    publisher.delete(publisher.changelog("counts"))
    publisher.create(publisher.changelog("counts"))
    publisher.put("counts", [(n, -n) for n in range(500, 505)], epoch=1)
    eventually(lambda: read(stores, "counts") == {n: -n for n in range(500, 505)}, seconds=30)


def test_a_store_that_changed_its_type_is_rebuilt_and_never_read_with_the_wrong_one(publisher, opened):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(n, n) for n in range(10)])
    stores = opened()
    publisher.publish(counts=("string", "long"))
    seen = []

    def rebuilt():
        try:
            seen.append(list(read(stores, "counts")))
        except StoreNotReady:
            return False
        return seen[-1] == list("0123456789")

    eventually(rebuilt)
    assert all(not keys or keys == list(range(10)) or set(keys) <= set("0123456789") for keys in seen)


def test_a_copy_older_than_the_tombstones_is_rebuilt(publisher, tmp_path, monkeypatch):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1)])
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        stores.wait_ready(90)
    monkeypatch.setattr("holdfast.stores.connection._now", lambda: int(time.time() * 1000) + 48 * 3600 * 1000)
    rebuilt = []
    monkeypatch.setattr("holdfast.stores.connection.Connection._rebuild", lambda _, store: rebuilt.append(store.name))
    with Stores(publisher.name, publisher.brokers, tmp_path):
        eventually(lambda: rebuilt == ["counts"])


def test_a_store_that_is_gone_from_the_program_is_forgotten(publisher, opened):
    publisher.publish(counts=("long", "long"), sums=("long", "long"))
    publisher.put("sums", [(1, 1)])
    stores = opened()
    del publisher.stores["sums"]
    publisher.publish()
    eventually(lambda: stores.replica.stores() == ["counts"])
    with pytest.raises(HoldfastError, match="no store 'sums'"):
        stores.store("sums").count()


def test_not_ready_says_why(publisher, opened, tmp_path):
    stores = opened(ready=False)
    assert stores.status().reasons[0].startswith(f"no program has published {publisher.name}-meta yet")
    with pytest.raises(HoldfastError, match="holdfast run"):
        stores.wait_ready(0.1)
    publisher.publish(counts=("long", "long"))
    stores.wait_ready(90)
    assert stores.status().lag == {"counts": 0}


def test_a_missing_changelog_is_named(publisher, opened):
    publisher.publish(counts=("long", "long"))
    publisher.delete(publisher.changelog("counts"))
    stores = opened(ready=False)
    wanted = (f"store counts: changelog {publisher.changelog('counts')} does not exist",)
    eventually(lambda: stores.status().reasons == wanted)


def test_a_broker_that_does_not_answer_is_a_problem_to_see(tmp_path):
    with Stores("nobody", "127.0.0.1:1", tmp_path) as stores:
        assert eventually(lambda: stores.follower.problem, seconds=20).startswith("Kafka at 127.0.0.1:1")
        assert stores.follower.alive


def test_garbage_in_a_changelog_is_passed_over_and_counted(publisher, opened):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [("not a number", 1), (2, 2)])
    stores = opened()
    assert read(stores, "counts") == {2: 2}
    assert stores.status().skipped == 1


def test_a_second_process_reads_the_files_of_the_first_and_takes_over(publisher, opened, tmp_path):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1)])
    program = (
        "import sys, time; from pathlib import Path; from holdfast.stores.backend import Stores\n"
        "stores = Stores(sys.argv[1], sys.argv[2], Path(sys.argv[3])).start(); stores.wait_ready(90)\n"
        "print(stores.status().role, flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, publisher.name, publisher.brokers, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as first:
        try:
            assert next(lines_of(first)) == "writer"
            second = opened()
            assert second.status().role == "reader"
            assert read(second, "counts") == {1: 1}
            publisher.put("counts", [(2, 2)], epoch=2)
            eventually(lambda: read(second, "counts") == {1: 1, 2: 2})
        finally:
            first.kill()
    publisher.put("counts", [(3, 3)], epoch=3)
    eventually(lambda: read(second, "counts") == {1: 1, 2: 2, 3: 3}, seconds=20)
    assert second.status().role == "writer"


def test_a_copy_that_is_found_to_be_damaged_is_made_anew_at_the_next_start(publisher, tmp_path, monkeypatch):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1)])
    with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
        stores.wait_ready(90)

        def damaged(*_):
            raise lmdb.CorruptedError("located page was wrong type")

        monkeypatch.setattr(Connection, "_apply_epochs", damaged)
        assert "makes it anew" in eventually(lambda: stores.follower.stuck)
    monkeypatch.undo()
    for restores in (1, 0):
        with Stores(publisher.name, publisher.brokers, tmp_path) as stores:
            stores.wait_ready(90)
            assert read(stores, "counts") == {1: 1}
            assert sum(stores.follower.restores.values()) == restores


def test_a_reader_of_a_copy_that_nobody_writes_any_more_says_so(publisher, opened, tmp_path, monkeypatch):
    monkeypatch.setattr("holdfast.stores.writer_watch.LIMIT", 3.0)
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1)])
    program = (
        "import sys, time; from pathlib import Path; from holdfast.stores.backend import Stores\n"
        "stores = Stores(sys.argv[1], sys.argv[2], Path(sys.argv[3])).start(); stores.wait_ready(90)\n"
        "print(stores.status().role, flush=True); time.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, publisher.name, publisher.brokers, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        try:
            assert next(lines_of(writer)) == "writer"
            reader = opened()
            time.sleep(5)  # longer than the limit: there is nothing to read
            assert reader.follower.stuck is None
            writer.send_signal(signal.SIGSTOP)
            publisher.put("counts", [(2, 2)], epoch=2)
            assert "has written nothing for" in eventually(lambda: reader.follower.stuck)
            assert read(reader, "counts") == {1: 1}
            writer.send_signal(signal.SIGCONT)
            eventually(lambda: reader.follower.stuck is None)
            assert read(reader, "counts") == {1: 1, 2: 2}
        finally:
            writer.kill()


def test_a_reader_that_was_killed_keeps_no_old_pages(publisher, opened, tmp_path):
    publisher.publish(counts=("long", "long"))
    publisher.put("counts", [(1, 1)])
    stores = opened()
    program = (
        "import sys, time; from pathlib import Path; from holdfast.stores.replica import Replica\n"
        "held = Replica(Path(sys.argv[1])).snapshot()\n"
        "print('reading', flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / publisher.name / "replica")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as reader:
        assert next(lines_of(reader)) == "reading"
        assert str(reader.pid) in stores.replica.environment._env.readers()
        reader.kill()
    eventually(lambda: str(reader.pid) not in stores.replica.environment._env.readers())
