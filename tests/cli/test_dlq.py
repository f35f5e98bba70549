"""`holdfast dlq` against a real broker, with letters as an app writes them."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from holdfast.cli.main import cli
from holdfast.ops.broker import Broker
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

pytestmark = pytest.mark.broker

PROGRAM = """
import holdfast as hf

app = hf.App({app!r})
users = app.table("users-{app}", "name STRING NOT NULL", key=str, store="users")
orders = app.stream("orders-{app}", "id BIGINT NOT NULL", key=str)
orders.group_by_key().count(store="n")
orders.require(lambda o: o.id > 0, reason="negative id").to("good-{app}")
users.map_values(lambda u: dict(n=u.name)).to("names-{app}")
"""


class Shop:
    """An app, its letters, and the command line."""

    def __init__(self, topics: Topics, app: str, directory: Path) -> None:
        self.app, self.topics, self.directory = app, topics, directory
        self.file = directory / "shop.py"
        self.file.write_text(PROGRAM.format(app=app))
        topics.create(TopicSpec(f"{app}-dead-letters", 2))

    def fill(self, *letters: Record) -> None:
        self.topics.produce(letters)

    def letter(
        self, topic: str, offset: int, node: str, reason: str, value: bytes, seen: bytes | None = None, **more: int
    ) -> Record:
        said = {
            "hf-topic": f"{topic}-{self.app}", "hf-partition": str(more.get("partition", 0)), "hf-offset": str(offset),
            "hf-node": node, "hf-at": "shop.py:7", "hf-reason": reason, "hf-time": str(more.get("at", 1000)),
        }  # fmt: skip
        headers = [("trace", b"t"), *((name, text.encode()) for name, text in said.items())]
        if seen is not None:
            headers += [("hf-seen", b"headers"), ("hf-key", b"k"), ("hf-value", seen), ("hf-path", b"0001")]
        return Record(f"{self.app}-dead-letters", b"k", value, 1000 - offset, tuple(headers), 0)

    def run(self, *arguments: str, columns: str | None = "200") -> Result:
        command, *rest = arguments
        arguments = ("dlq", command, str(self.file), *rest, "--brokers", self.topics.brokers)
        return CliRunner().invoke(cli, arguments, env={"COLUMNS": columns})

    def json(self, *arguments: str) -> list:
        done = self.run(*arguments, "--json")
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    def replays(self) -> list[Record]:
        return self.topics.read(f"{self.app}-replay")


@pytest.fixture
def shop(broker: Broker, topics: Topics, new_topic: Callable[..., str], tmp_path: Path) -> Shop:
    return Shop(topics, new_topic("shop"), tmp_path)


def filled(shop: Shop) -> Shop:
    source = f"orders-{shop.app}"
    shop.fill(
        shop.letter("orders", 4, source, "value: 17 is not JSON", b"17", at=1000),
        shop.letter("orders", 5, source, "value: 18 is not JSON", b"18", at=2000),
        shop.letter("orders", 9, "require-1", "negative id", b'{"id":-2}', b'{"id":-2}', at=3000, partition=1),
        shop.letter("users", 0, "table_map_values-1", "overflow", b"{}", b"{}", at=50),
    )
    return shop


def test_list_counts_by_reason_node_and_topic(shop: Shop) -> None:
    (kinds,) = filled(shop).json("list")
    assert [(k["count"], k["reason"], k["node"]) for k in kinds] == [
        (2, "value: N is not JSON", f"orders-{shop.app}"),
        (1, "negative id", "require-1"),
        (1, "overflow", "table_map_values-1"),
    ]
    assert (kinds[0]["first"], kinds[0]["last"]) == (1000, 2000)
    assert "negative id" in shop.run("list").output


def test_list_fits_the_terminal(shop: Shop) -> None:
    source = f"orders-{shop.app}"
    reason = 'value: malformed JSON at byte {}: found "}}", wanted a value; a text needs double quotes'
    shop.fill(
        shop.letter("orders", 1, source, reason.format(7), b"", at=0),
        shop.letter("orders", 2, source, reason.format(9), b"", at=5000),
        shop.letter("orders", 9, "require-1", "negative id", b"", at=3000),
    )
    assert [line.rstrip() for line in shop.run("list", columns="80").output.splitlines()] == [
        "letters  replayed  reason, place, time",
        "      2         0  value: malformed JSON at byte N: found …, wanted a value; a",
        "                   text needs double quotes",
        f"                   {source}",
        "                   1970-01-01 00:00:00.000Z to 1970-01-01 00:00:05.000Z",
        "      1         0  negative id",
        f"                   require-1, of topic {source}",
        "                   1970-01-01 00:00:03.000Z",
    ]
    wide = shop.run("list", columns="250").output.splitlines()
    assert [line.split()[0] for line in wide] == ["letters", "2", "1"]
    assert shop.run("list", columns=None).output == "\n".join(wide) + "\n"  # no terminal


def test_choose_by_time_reason_topic_and_node(shop: Shop) -> None:
    filled(shop)
    chosen = {
        ("--since", "2000"): 2,
        ("--until", "1970-01-01T00:00:01.500Z"): 2,
        ("--reason", "NEGATIVE"): 1,
        ("--topic", f"orders-{shop.app}"): 3,
        ("--node", "require-1", "--until", "10"): 0,
    }
    assert {options: len(shop.json("show", *options)) for options in chosen} == chosen


def test_show(shop: Shop) -> None:
    filled(shop)
    (row,) = shop.json("show", "0/2")
    assert (row["node"], row["value"], row["headers"], row["replayed"]) == (
        "require-1",
        '{"id":-2}',
        {"trace": "t"},
        False,
    )
    page = shop.run("show", "0/0").output
    assert all(text in page for text in ("value: 17 is not JSON", "(shop.py:7)", "header trace"))
    more = shop.run("show", "--limit", "1")
    assert "there are more" in more.stderr


def test_replay_in_order_marked_and_once(shop: Shop) -> None:
    filled(shop)
    chosen = ("replay", "--topic", f"orders-{shop.app}")
    assert shop.run(*chosen, "--dry-run").output == "3 letters would be replayed\n"
    assert not any(row["replayed"] for row in shop.json("show"))
    threads = [threading.Thread(target=shop.run, args=chosen) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = shop.json(*chosen)[0]
    assert sorted(again["replayed"] + again["replayed_before"]) == ["0/0", "0/1", "0/2"]
    first, second, third = shop.replays()
    assert [dict(r.headers)["hf-node"] for r in (first, second)] == [b"require-1", f"orders-{shop.app}".encode()]
    assert (first.value, dict(first.headers)["hf-path"], first.timestamp) == (b'{"id":-2}', b"0001", 991)
    assert (second.value, dict(second.headers)["hf-key"], dict(second.headers)["trace"]) == (b"17", b"k", b"t")
    assert third.value == b"18"
    assert [row["id"] for row in shop.json("show", "--open")] == ["0/3"]


def test_edits(shop: Shop) -> None:
    filled(shop)
    assert shop.run("replay", "0/0", "--value", '{"id": 1}').exit_code == 0
    lines = shop.directory / "edited.jsonl"
    lines.write_text(
        "\n".join(json.dumps({**row, "value": {"id": 2}, "key": None}) for row in shop.json("show", "0/1"))
    )
    assert shop.run("replay", "--edit", str(lines)).exit_code == 0
    fix = shop.directory / "fix.py"
    fix.write_text("def f(letter):\n    return {'id': -letter.json()['id']} if letter.node == 'require-1' else None\n")
    told = shop.run("replay", "--since", "1000", "--with", f"{fix}:f", "--at", "source")
    assert told.output.splitlines() == [
        "1 letter replayed; the app takes what it is given with its next batch",
        "2 letters had been replayed before",
        "seen a second time by: count:n",
    ]
    values = [record.value for record in shop.replays()]
    assert values == [b'{"id": 1}', b'{"id":2}', b'{"id":2}']
    assert "hf-key" not in dict(shop.replays()[1].headers)


def test_a_row_with_a_later_one_is_left_out(shop: Shop) -> None:
    topic = f"users-{shop.app}"
    shop.topics.create(TopicSpec(topic, 1, compacted=True))
    shop.topics.produce([Record(topic, b"k", b"{}", 1), Record(topic, b"k", None, 2), Record(topic, b"z", b"{}", 3)])
    shop.fill(shop.letter("users", 0, topic, "missing name", b"{}"))
    told = shop.run("replay", "0/0", "--value", '{"name": "Ada"}')
    assert "letter 0/0 left out: the topic has a later row of its key, at offset 1" in told.output
    assert shop.run("replay", "0/0", "--value", '{"name": "Ada"}', "--key", "other").output.startswith(
        "1 letter replayed"
    )


def test_wrong_use(shop: Shop) -> None:
    filled(shop)
    assert "say which letters" in shop.run("replay").output
    assert "are for one letter, 4 are meant" in shop.run("replay", "--all", "--value", "x").output
    assert "exclude each other" in shop.run("replay", "0/0", "--value", "x", "--with", "a.py:b").output
    refused = shop.run("replay", "0/3")
    assert refused.exit_code == 1
    assert f"it takes changes of the table users-{shop.app}, which has gone on since" in refused.output
    assert "is not FILE.py:FUNCTION" in shop.run("replay", "0/0", "--with", "nothing.py:f").output
    missing = shop.run("replay", "0/0", "7/9")
    assert missing.exit_code == 2
    assert "no such dead letter, or another option leaves it out: 7/9" in missing.output
    bad = shop.directory / "bad.jsonl"
    bad.write_text('{"id": "0/0"}\n')
    assert f"{bad}:1: a line of `holdfast dlq show --json` was wanted" in shop.run("replay", "--edit", str(bad)).output


def test_without_letters(broker: Broker, topics: Topics, new_topic: Callable[..., str], tmp_path: Path) -> None:
    shop = Shop(topics, new_topic("shop"), tmp_path)
    assert shop.run("list").output == "no dead letters\n"
    assert shop.run("show").output == "no such dead letter\n"
    assert shop.run("replay", "--all").output.startswith("0 letters replayed")


def test_terminals_obey_nothing_that_letters_say_and_times_may_be_any(shop: Shop) -> None:
    evil = "\x1b[J\r\n\x9b\u202e"
    letter = shop.letter("orders", 1, f"node{evil}", f"why{evil}", f"value{evil}".encode(), at=-(10**18))
    later = shop.letter("orders", 2, "orders", "bad", b"x", at=10**18)
    own = ((f"name{evil}", f"header{evil}".encode()),)
    shop.fill(replace(letter, key=evil.encode(), headers=(*own, *letter.headers)), later)
    for command in ("list", "show"):
        done = shop.run(command)
        assert done.exit_code == 0, done.output
        assert not set(evil) & set(done.output) - set("[J\n")
        assert "why\\x1b[J\\r\\n\\x9b\\u202e" in done.output
        assert "-1000000000000000000 ms" in done.output
        assert "1000000000000000000 ms" in done.output


def test_records_that_are_no_letters_are_counted(shop: Shop) -> None:
    name = f"{shop.app}-dead-letters"
    shop.fill(shop.letter("orders", 1, "orders", "bad", b"x"), Record(name, b"k", b"v"), Record(name, None, b"\xff"))
    for command in ("list", "show"):
        done = shop.run(command)
        assert "bad" in done.stdout
        assert "2 records of the topic are no dead letters" in done.stderr


def test_reasons_are_counted_without_times_and_numbers_but_with_the_names_of_types(shop: Shop) -> None:
    reason = "field 'x[{}].y': the time {} is {} days ahead; wanted a decimal(38,18) in UTF-8, got the string \"{}\""
    said = [reason.format(n, f"2026-01-0{n}T00:00:00.{n}Z", -n, n) for n in (1, 2)]
    shop.fill(*(shop.letter("orders", n, "orders", each, b"") for n, each in enumerate(said)))
    ((kind,),) = shop.json("list")
    wanted = "field 'x[N].y': the time N is N days ahead; wanted a decimal(38,18) in UTF-8, got the string …"
    assert (kind["count"], kind["reason"]) == (2, wanted)


def test_reasons_keep_the_lines_of_the_program(shop: Shop) -> None:
    reason = "total (shop2.py:63): KeyError: 'c{}' [/srv/jörg/v2.1/shop2.py:65 in total]"
    shop.fill(*(shop.letter("orders", n, "orders", reason.format(n), b"") for n in (1, 2)))
    ((kind,),) = shop.json("list")
    assert (kind["count"], kind["reason"]) == (2, reason.format("N"))


def test_a_page_shows_some_of_many_headers(shop: Shop) -> None:
    letter = shop.letter("orders", 1, "orders", "why", b"")
    shop.fill(replace(letter, headers=(*((f"h{n}", b"v") for n in range(500)), *letter.headers)))
    page = shop.run("show").output
    assert ("header h19" in page, "header h20" in page, "headers       481 more; --json has them" in page) == (
        True,
        False,
        True,
    )
    (row,) = shop.json("show")
    assert len(row["headers"]) == 501
