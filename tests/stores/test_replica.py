"""The LMDB copy: snapshots, order, counts, growth, owners."""

import subprocess
import sys
import threading

import pytest

from holdfast.errors import HoldfastError
from holdfast.stores.keys import KeyType
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import from_json


def key_type(of):
    return KeyType(from_json(of))


PROGRESS = Progress("app-s-changelog", "id", from_json("long"), from_json("string"), {0: 5}, 3, 0)


@pytest.fixture
def replica(tmp_path):
    opened = Replica(tmp_path / "replica")
    yield opened
    opened.close()


def put(replica, items, of="long", store="s"):
    key = key_type(of)
    replica.apply([Put(store, key.encode(k), v) for k, v in items], {store: PROGRESS}, {"epoch": b"3"})


def read(replica, bounds=None, of="long", reverse=False):
    key = key_type(of)
    with replica.reading() as snapshot:
        return [key.decode(k) for k, _ in snapshot.scan("s", bounds or key.bounds(), reverse=reverse)]


def test_a_snapshot_does_not_see_what_comes_later(replica):
    put(replica, [(1, b'"a"')])
    with replica.pinned() as snapshot:
        put(replica, [(1, b'"b"'), (2, b'"c"')])
        assert snapshot.get("s", key_type("long").encode(1)) == b'"a"'
        assert snapshot.count("s") == 1
        assert read(replica) == [1]
    assert read(replica) == [1, 2]


READER = """
import sys
from pathlib import Path
from holdfast.stores.replica import Replica
replica = Replica(Path(sys.argv[1]))
for _ in sys.stdin:
    with replica.reading() as snapshot:
        print(snapshot.epoch, snapshot.count("s"), snapshot.count("t"), flush=True)
"""


def test_another_process_sees_a_new_store_with_the_first_epoch_that_has_it(replica, tmp_path):
    put(replica, [(1, b"1")])
    command = [sys.executable, "-c", READER, str(tmp_path / "replica")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:

        def asked():
            reader.stdin.write("now\n")
            reader.stdin.flush()
            return reader.stdout.readline()

        assert asked() == "3 1 0\n"
        put(replica, [(1, b"1"), (2, b"2")], store="t")
        assert asked() == "3 1 2\n"
        reader.stdin.close()


def test_deletes_disappear_and_the_count_is_exact(replica):
    put(replica, [(n, b"1") for n in range(10)])
    put(replica, [(3, None), (4, None), (99, None)])
    assert read(replica) == [0, 1, 2, 5, 6, 7, 8, 9]
    with replica.reading() as snapshot:
        assert snapshot.count("s") == 8


def test_scans_of_any_length_go_both_ways(replica):
    keys = list(range(-1500, 1500))
    put(replica, [(n, b"1") for n in keys])
    assert read(replica) == keys
    assert read(replica, reverse=True) == keys[::-1]
    bounds = key_type("long").bounds(-700, 700)
    assert read(replica, bounds) == list(range(-700, 701))
    assert read(replica, bounds, reverse=True) == list(range(700, -701, -1))


def test_keys_beyond_the_limit_of_lmdb_keep_their_order(replica):
    key = key_type("string")
    texts = sorted("x" * n + tail for n in (400, 475, 478, 479, 500, 600, 5000) for tail in ("", "a", "b", "ü", "zz"))
    put(replica, [(t, f'"{t[-1]}"'.encode()) for t in texts], "string")
    assert read(replica, of="string") == texts
    assert read(replica, of="string", reverse=True) == texts[::-1]
    for start, end in [(texts[3], texts[20]), ("x" * 490, "x" * 600 + "a"), ("x" * 600 + "a", "y")]:
        wanted = [t for t in texts if start <= t <= end]
        assert read(replica, key.bounds(start, end), "string") == wanted
        assert read(replica, key.bounds(start, end), "string", reverse=True) == wanted[::-1]
    put(replica, [("x" * 5000 + "b", None)], "string")
    with replica.reading() as snapshot:
        assert snapshot.get("s", key.encode("x" * 5000 + "b")) is None
        assert snapshot.get("s", key.encode("x" * 5000 + "a")) == b'"a"'


def test_many_long_keys_with_one_beginning_are_read_once_each(replica):
    texts = [f"{'k' * 600}{n:05d}" for n in range(1300)]
    put(replica, [(t, b"1") for t in texts], "string")
    assert read(replica, of="string") == texts


def test_the_map_grows_while_others_read(tmp_path):
    replica = Replica(tmp_path / "replica", map_size=1 << 18)
    stop = threading.Event()
    seen = []
    failed = []

    def watch():
        try:
            while not stop.is_set():
                seen.append(len(read(replica)))
        except Exception as error:
            failed.append(error)

    reader = threading.Thread(target=watch)
    reader.start()
    try:
        for block in range(20):
            put(replica, [(block * 1000 + n, b'"' + b"v" * 100 + b'"') for n in range(1000)])
    finally:
        stop.set()
        reader.join()
    assert len(read(replica)) == 20_000
    assert not failed
    assert seen
    assert all(n % 1000 == 0 for n in seen)
    replica.close()


def test_progress_is_written_with_the_data_and_survives(tmp_path):
    replica = Replica(tmp_path / "replica")
    put(replica, [(1, b"1")])
    replica.close()
    replica = Replica(tmp_path / "replica")
    replica.find(["s"])
    assert read(replica) == [1]
    with replica.reading() as snapshot:
        assert snapshot.progress("s") == PROGRESS
        assert snapshot.epoch == 3
    replica.close()


def test_rebuild_empties_a_store_and_its_progress(replica):
    put(replica, [(1, b"1")])
    replica.rebuild("s", Progress("app-s-changelog", "other", from_json("string"), from_json("long")))
    with replica.reading() as snapshot:
        assert (snapshot.count("s"), snapshot.epoch) == (0, None)
        assert snapshot.progress("s").offsets == {}
    assert replica.stores() == ["s"]
    replica.remove("s")
    assert replica.stores() == []


def test_a_damaged_file_is_rebuilt(tmp_path):
    replica = Replica(tmp_path / "replica")
    put(replica, [(1, b"1")])
    replica.close()
    (tmp_path / "replica" / "data" / "data.mdb").write_bytes(b"nonsense" * 2000)
    replica = Replica(tmp_path / "replica")
    assert replica.stores() == []
    put(replica, [(1, b"1")])
    assert read(replica) == [1]
    replica.close()


def test_the_same_directory_twice_in_one_process_is_refused(replica):
    with pytest.raises(HoldfastError, match="already open in this process"):
        Replica(replica.environment.directory)


def test_reading_after_the_request_is_an_error(replica):
    put(replica, [(1, b"1")])
    with replica.pinned() as snapshot:
        pass
    with pytest.raises(HoldfastError, match="inside the handler"):
        snapshot.get("s", b"\x01")
