"""What others write: headers that look like ours on input records, and records in the app's own topics."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import holdfast as hf
from holdfast.cli.main import cli
from holdfast.dsl.loader import load_app
from holdfast.runtime import Running
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record
from tests.headers import LISTS

PROGRAM = """
import holdfast as hf
from holdfast import functions as F

app = hf.App({name!r})
orders = app.stream({topic!r}, "item STRING, pieces BIGINT NOT NULL", key=str)
good = orders.group_by(lambda o: o.item).agg(pieces=lambda o: F.sum(60 / o.pieces), store="sold")
good.to({out!r})
"""
MANY = [(f"h{i % 10}", b"") for i in range(70_000)]
FOREIGN = [
    (b"x", b"\xff\xfe", ()), (b"y", b"{}", (("hf-topic", b"orders"),)), (b"epoch", b"{", ()), (b"topology", b"7", ()),
    (b"z", b'{"epoch":"x","term":{}}', (("hf-topic", b"t"), ("hf-node", b"n"), ("hf-offset", b"?"))),
    (b"p", b"7", (("hf-topic", b"orders"), ("hf-partition", b"0"), ("hf-offset", b"0"), ("hf-node", b"orders"),
                  ("hf-time", b"1"), ("hf-replayed", b"1"), ("hf-path", b""))),
]  # fmt: skip


@pytest.fixture
def dlq(topics: Topics) -> Callable[..., str]:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["dlq", *arguments, "--brokers", topics.brokers], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def test_neither_headers_nor_foreign_records_break_letters_and_replays(
    topics: Topics, run: Callable[..., Running], dlq: Callable[..., str], new_topic: Callable[..., str],
    stores: Callable[[hf.App], dict[str, dict]], suffix: str, tmp_path: Path,
) -> None:  # fmt: skip
    topic, out, name = new_topic("orders"), new_topic("sold"), f"shop{suffix}"
    file = tmp_path / "shop.py"
    file.write_text(PROGRAM.format(name=name, topic=topic, out=out))
    lists = [*LISTS[::7], *LISTS[-4:], MANY]
    bad = [b"{", b'{"item":"i%d","pieces":0}', b'{"item":"i%d","pieces":0}']
    topics.produce(
        Record(topic, b"%d" % n, value.replace(b"%d", b"%d" % n), 1000 + n, tuple(headers), 0)
        for n, headers in enumerate(lists)
        for value in bad
    )
    app = load_app(str(file))
    assert run(app, mode="drain").wait("3 minutes")
    for own in ("replay", "dead-letters", "meta", "epochs", "markers", "sold-changelog"):
        partitions = range(next(t.partitions for t in topics.existing() if t.name == f"{name}-{own}"))
        topics.produce(Record(f"{name}-{own}", k, v, headers=h, partition=p) for k, v, h in FOREIGN for p in partitions)

    (kind,) = [k for k in json.loads(dlq("list", str(file), "--json")) if k["node"] == "agg:sold"]
    assert kind["count"] == 2 * len(lists)
    letters = [json.loads(line) for line in dlq("show", str(file), "--json", "--limit", "9999").splitlines()]
    assert len(letters) == 3 * len(lists)
    shown = dlq("show", str(file), "--limit", "9999")
    assert all(f"header {each}" in shown for each, _ in lists[0])
    fix = tmp_path / "fix.py"
    fix.write_text("def fixed(x):\n    return {'item': 'i', 'pieces': 3}\n")
    inner = [each["id"] for each in letters if each["node"] == "agg:sold"]
    dlq("replay", str(file), *inner[::2], "--with", f"{fix}:fixed")
    dlq("replay", str(file), "--all", "--with", f"{fix}:fixed", "--at", "source")
    running = run(load_app(str(file)), mode="drain")
    assert running.wait("3 minutes")
    assert running.progress()["dead_letters"] == len(letters)  # those of the first run
    assert running.progress()["foreign"] == {f"{name}-replay": len(FOREIGN)}
    assert sum(row["pieces"] for row in stores(app)["sold"].values()) == 20.0 * len(letters)
    mine = {(*headers, ("hf-replayed", b"1")) for headers in map(tuple, lists)}
    assert {record.headers for record in topics.read(out)} <= mine
    again = [json.loads(line) for line in dlq("show", str(file), "--json", "--limit", "9999").splitlines()]
    assert all(each["replayed"] for each in again)
