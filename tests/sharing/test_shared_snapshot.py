"""A snapshot of all shares asks whom it has to, goes on elsewhere if one fails, and takes silence for no answer."""

import pytest

from holdfast.sharing.parts import PeerFailed, RemotePart, ShareUnavailable
from holdfast.sharing.shared_snapshot import SharedSnapshot
from holdfast.sharing.wire import Answer
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.epoch_position import EpochPosition
from holdfast.stores.keys import Bounds
from holdfast.types import LONG, STRING

STORE = Store("names", "key-value", STRING, LONG, "names-changelog")
CATALOG = Catalog("app", {}, {"names": STORE})
POSITION = EpochPosition(7)
KEYS = [STORE.keys.encode(f"key {n}") for n in range(8)]


class Servers:
    """Servers that hold shares in memory, two entries to a page; those in `failing` answer nothing."""

    def __init__(self, **shares):
        self.shares = shares
        self.failing = {}
        self.asked = []

    def owners(self, share, of):
        return [name for name, held in self.shares.items() if share in held]

    def ask(self, server, question):
        self.asked.append((server, question.operation, tuple(question.shares)))
        if server in self.failing:
            raise PeerFailed("it is gone", self.failing[server])
        rows = sorted((key, b"%d" % n) for n, key in enumerate(KEYS) if n % question.of in question.shares)
        if question.operation == "get":
            return Answer(values=[dict(rows).get(key) for key in question.keys])
        found = [row for row in rows if Bounds(question.low, question.high).holds(row[0])]
        found = found[::-1] if question.reverse else found
        return Answer(rows=found[:2], more=len(found) > 2, number=len(rows))


class Leases:
    def close(self):
        pass


def snapshot(servers, of=4):
    remote = RemotePart(servers, CATALOG, range(of), of, POSITION)
    return SharedSnapshot(CATALOG, POSITION, {}, remote, of, {}, Leases())


@pytest.mark.parametrize("reverse", [False, True])
def test_entries_of_all_shares_come_in_order_over_many_pages(reverse):
    servers = Servers(a=[0, 1], b=[2, 3])
    found = [key for key, _ in snapshot(servers).scan("names", Bounds(), reverse=reverse)]
    assert found == sorted(KEYS, reverse=reverse)
    assert set(servers.asked) == {("a", "scan", (0, 1)), ("b", "scan", (2, 3))}


@pytest.mark.parametrize("reverse", [False, True])
def test_a_server_that_fails_between_two_pages_is_followed_by_others(reverse):
    servers = Servers(a=[0, 1, 2, 3], b=[0, 1], c=[2, 3])
    rows = snapshot(servers).scan("names", Bounds(), reverse=reverse)
    found = [next(rows)]
    servers.failing["a"] = None
    assert [key for key, _ in [*found, *rows]] == sorted(KEYS, reverse=reverse)


def test_values_and_counts_come_from_another_server_if_one_fails():
    servers = Servers(a=[0, 1, 2, 3], b=[0, 1, 2, 3])
    servers.failing["a"] = 6
    assert snapshot(servers).get_many("names", [*KEYS, b"?"], 100) == [b"%d" % n for n in range(8)] + [b"null"]
    assert snapshot(servers).count("names") == 8


def test_keys_are_asked_of_who_should_have_them_and_then_of_all():
    servers = Servers(a=[0, 1], b=[2, 3])
    remote = RemotePart(servers, CATALOG, range(4), 4, POSITION)
    shared = SharedSnapshot(CATALOG, POSITION, {}, remote, 4, {"names-changelog": 4}, Leases())
    for index, key in enumerate(KEYS):  # where these servers have them, Kafka would not have put all of them
        assert shared.get("names", key) == b"%d" % index
    servers.asked.clear()
    assert shared.get("names", b"\x01nothing") is None
    assert [server for server, _, _ in servers.asked[1:]] in (["a", "b"], ["b", "a"])


def test_a_share_that_nobody_answers_for_fails_the_read_and_says_at_which_epoch_it_could_be_read():
    servers = Servers(a=[0, 1, 2], b=[3])
    servers.failing["b"] = 5
    for read in (
        lambda s: s.get("names", KEYS[0][:-1]), lambda s: s.count("names"), lambda s: list(s.scan("names", Bounds())),
    ):  # fmt: skip
        with pytest.raises(ShareUnavailable, match="share 3") as failed:
            read(snapshot(servers))
        assert failed.value.epoch == 5
    with pytest.raises(ShareUnavailable, match="no server holds it"):
        snapshot(Servers(a=[0])).count("names")


def test_before_it_is_known_how_many_shares_there_are_nothing_is_taken_for_absent():
    empty = SharedSnapshot(CATALOG, None, {}, None, 0, {}, Leases())
    for read in (
        lambda s: s.get("names", KEYS[0]),
        lambda s: s.count("names"),
        lambda s: list(s.scan("names", Bounds())),
    ):
        with pytest.raises(ShareUnavailable, match="still to be found out"):
            read(empty)
