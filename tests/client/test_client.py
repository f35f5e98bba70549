"""Stores and routes of a server, asked from Python."""

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum

import pyarrow as pa
import pytest

import holdfast as hf
from tests.server.conftest import BOARDS, NAMES

pytestmark = pytest.mark.broker

HOUR = 3_600_000


def hour(number):
    return datetime.fromtimestamp(number * 3600, UTC)


def test_the_stores_are_named(client):
    assert client.stores() == ["hours", "leaderboard", "names", "numbers", "times", "visits"]


def test_a_store_is_a_mapping(client):
    boards = client["leaderboard"]
    assert boards[1] == BOARDS[1]
    assert boards.get(7) is None
    assert 6 in boards
    assert len(boards) == 2
    assert dict(boards.items()) == BOARDS


def test_a_key_that_is_not_there_is_a_key_error(client):
    with pytest.raises(KeyError, match="store 'leaderboard' has no key 7"):
        client["leaderboard"][7]


@pytest.mark.parametrize("name", NAMES)
def test_any_text_is_a_key(client, name):
    assert client["names"][name] == NAMES.index(name)


def test_a_key_of_another_type_is_refused_before_it_is_sent(client):
    with pytest.raises(hf.HoldfastError, match="wanted long, for example 42; got 'one'"):
        client["leaderboard"]["one"]


def test_keys_are_what_they_are_in_a_route(client):
    (first, _), *_ = client["visits"].all()
    assert first == {"user": "a", "page": -1}
    assert {first: 1}[first] == 1
    assert next(iter(client["times"])) == datetime(2026, 1, 1, tzinfo=UTC)


def test_more_entries_than_a_page_has(client):
    numbers = client["numbers"]
    assert [key for key, _ in numbers.all()] == list(range(-1250, 1250))
    assert [key for key, _ in numbers.range(-3, 2)] == [-3, -2, -1, 0, 1, 2]
    assert [key for key, _ in numbers.range(reverse=True)] == list(range(1249, -1251, -1))
    assert [key for key, _ in numbers.range(5, 7, reverse=True)] == [7, 6, 5]


def test_many_keys_that_are_records_are_given_as_dicts(client):
    visits = client["visits"]
    some = [key for key, _ in visits.all()][:2]
    asked = [dict(reversed(key.items())) for key in some]
    assert visits.get_many([*asked, {"user": "nobody", "page": 1}]) == {key: visits[key] for key in some}


def test_a_range_of_the_leading_fields_of_a_record(client):
    found = [key["page"] for key, _ in client["visits"].range(prefix=("b/c",))]
    assert found == [-1, 0, 1]


def test_many_keys_at_once(client):
    keys = [*range(1240, 1260), -1250]
    assert client["numbers"].get_many(keys) == {key: key * 10 for key in keys if key < 1250}
    assert client["numbers"].get_many([]) == {}


def test_more_keys_than_one_request_takes(client):
    keys = list(range(-15_000, 15_000))
    assert client["numbers"].get_many(keys) == {key: key * 10 for key in range(-1250, 1250)}


def test_the_windows_of_a_key(client):
    hours = client["hours"]
    assert [(window.key, window.start, n) for window, n in hours.windows("a")] == [("a", hour(n), n) for n in range(3)]
    assert [n for _, n in hours.windows("a b", HOUR, HOUR)] == [1]


def test_the_windows_of_all_keys_in_a_time(client):
    found = [(window.key, n) for window, n in client["hours"].all_windows(HOUR, 2 * HOUR - 1)]
    assert found == [("a", 1), ("a b", 1), ("b", 1)]
    assert len(list(client["hours"].all_windows())) == 9


def test_a_store_without_windows_says_so(client):
    with pytest.raises(hf.HoldfastError, match="store 'numbers' has no windows"):
        client["numbers"].windows(1)
    with pytest.raises(hf.RequestError, match="the keys have no windows, they are long"):
        list(client["numbers"].all_windows())


def test_a_table_has_the_types_of_the_store(client):
    table = client["leaderboard"].to_arrow()
    entry = pa.struct([("playerId", pa.int64()), ("playerName", pa.string()), ("score", pa.int64())])
    assert table.schema == pa.schema([("key", pa.int64()), ("value", pa.list_(entry))])
    assert table.to_pylist()[1] == {"key": 6, "value": BOARDS[6]}


def test_frames(client):
    assert client["numbers"].to_pandas()["value"].sum() == sum(range(-1250, 1250)) * 10
    assert client["hours"].to_polars()["value"].to_list() == [0, 1, 2] * 3


def test_answers_have_an_epoch_and_do_not_go_back(client):
    assert client.epoch is None
    client["leaderboard"].get(1)
    assert client.epoch == 6
    client._connection.seen(9, client.session.replace(".6", ".9"))  # as if another server had been further
    with pytest.raises(hf.RequestError, match="epoch 9 was not reached in 10 s: the copy is at epoch 6") as refused:
        client["leaderboard"].get(1)
    assert (refused.value.status, refused.value.code) == (504, "epoch_not_reached")


def test_routes_of_the_app(client):
    assert client.get("/leaderboard/6") == BOARDS[6]
    assert client.get("/echo/2026-01-01T00:00:00Z", text="a&b", amount="1.10")["amount"] == 1.1
    assert client.post("/orders", {"id": 5}) == {"taken": {"id": 5, "note": ""}}
    with pytest.raises(hf.RequestError, match="nothing is at /nowhere"):
        client.get("/nowhere")
    with pytest.raises(hf.RequestError, match="store 'leaderboard' has no key 7"):
        client.get("/leaderboard/7")


class Order(str, Enum):  # noqa: UP042 (its text is not its value)
    UP = "up"
    DOWN = "down"


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.get("/echo/2026-01-01T00:00:00Z?n=1&n=2&order=down&text=a%26b&amount=1.50"),
        lambda client: client.get("/echo/2026-01-01T00:00:00Z?order=down&n=1&n=2", text="a&b", amount=Decimal("1.50")),
        lambda client: client.get("/echo/2026-01-01T00:00:00Z?n=9", n=[1, 2], order=Order.DOWN, text="a&b", amount=1.5),
        lambda client: client.get("/echo/2026-01-01T00:00:00Z", n=(1, 2), order="down", text="a&b", amount="1.50"),
    ],
)
def test_parameters_of_a_route_stand_in_its_path_or_beside_it(client, ask):
    found = ask(client)
    assert (found["n"], found["order"], found["text"], found["amount"]) == ([1, 2], "down", "a&b", 1.5)


def test_a_parameter_that_is_none_is_not_sent(client):
    assert client.get("/echo/2026-01-01T00:00:00Z", text=None)["text"] is None


def test_an_unknown_store_names_the_nearest(client):
    with pytest.raises(hf.RequestError, match="there is no store 'leaderbord'; did you mean 'leaderboard'"):
        client["leaderbord"]


def test_no_server_is_named(unused_port):
    with pytest.raises(hf.RequestError, match="no server answers at http://127.0.0.1:.*start one with `holdfast run"):
        hf.connect(f"127.0.0.1:{unused_port}").stores()


def test_an_address_that_is_none():
    with pytest.raises(hf.RequestError, match="'ftp://x' is not the address of a server"):
        hf.connect("ftp://x")


def test_windows_backwards(client):
    hours = client["hours"]
    assert [n for _, n in hours.windows("a", reverse=True)] == [2, 1, 0]
    found = [(window.key, n) for window, n in hours.all_windows(start=HOUR, reverse=True)]
    assert found == [("b", 2), ("b", 1), ("a b", 2), ("a b", 1), ("a", 2), ("a", 1)]
