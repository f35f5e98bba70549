import pytest

import holdfast as hf
from holdfast.errors import KeyNotFound, NotServed, TopologyError


class Backend:
    entries = {1: "a", 2: "b", 3: "c"}

    def get(self, key):
        if key not in self.entries:
            raise KeyNotFound(f"no key {key}")
        return self.entries[key]

    def all(self):
        return iter(self.entries.items())

    def range(self, start=None, end=None, *, prefix=None, reverse=False):
        found = [(k, v) for k, v in self.entries.items() if start <= k <= end]
        return iter(reversed(found) if reverse else found)

    def count(self):
        return 3


def test_a_handle_reads_what_it_is_bound_to(app):
    letters = app.store("letters")
    letters.bind(Backend())
    assert (letters[2], len(letters), list(letters)) == ("b", 3, [1, 2, 3])
    assert dict(letters.all()) == Backend.entries
    assert list(letters.range(2, 3, reverse=True)) == [(3, "c"), (2, "b")]
    assert letters.get(9) is None
    assert 9 not in letters


def test_a_missing_key_is_a_key_error(app):
    letters = app.store("letters")
    letters.bind(Backend())
    with pytest.raises(hf.KeyNotFound):
        letters[9]
    with pytest.raises(KeyError):
        letters[9]


def test_outside_a_server_it_says_where_to_ask(app):
    with pytest.raises(NotServed, match=r"store 'letters' can be read where it is served.*GET /stores/letters"):
        app.store("letters")[1]


def test_one_handle_per_store(app):
    assert app.store("letters") is app.store("letters")
    assert list(app.handles) == ["letters"]


def test_an_unknown_store_is_found_when_the_program_is_whole(app, orders):
    orders.group_by_key().count(store="per-user")
    app.store("per-usr")
    with pytest.raises(
        TopologyError, match=r"test_store_handle.py:\d+: app 'shop' has no store 'per-usr'; did you mean"
    ):
        app.topology
