"""Who holds which share: evenly, the same for everybody, and with few moves when a server comes or goes."""

from collections import Counter

import pytest

from holdfast.sharing.assignment import assign

SERVERS = [f"server-{n}" for n in range(5)]


@pytest.mark.parametrize("replicas", [1, 2, 3])
@pytest.mark.parametrize("shares", [1, 3, 12, 16])
def test_every_share_has_its_replicas_on_different_servers_and_each_server_about_as_many(shares, replicas):
    found = assign(SERVERS, shares, replicas)
    assert sorted(found) == list(range(shares))
    assert all(len(set(servers)) == replicas for servers in found.values())
    held = Counter(server for servers in found.values() for server in servers)
    counts = [held[server] for server in SERVERS]
    assert max(counts) - min(counts) <= 1


def test_the_order_in_which_servers_are_known_does_not_matter():
    assert assign(SERVERS, 12, 2) == assign(reversed(SERVERS), 12, 2)


def test_few_servers_hold_all_they_can():
    assert assign(["a"], 3, 2) == {0: ("a",), 1: ("a",), 2: ("a",)}
    assert assign([], 2, 2) == {0: (), 1: ()}


def test_a_server_that_goes_leaves_most_of_the_others_shares_where_they_are():
    before, after = assign(SERVERS, 16, 2), assign(SERVERS[:-1], 16, 2)
    kept = sum(len(set(before[n]) & set(after[n])) for n in before)
    gone = sum(SERVERS[-1] in servers for servers in before.values())
    assert kept >= 32 - 2 * gone
