"""Dead letters that come back through Kafka, by the command line."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

import holdfast as hf
from holdfast.cli.main import cli
from holdfast.dsl.loader import load_app
from holdfast.topics.admin import Topics
from tests.spark.conftest import as_record

PROGRAM = """
import holdfast as hf
from holdfast import functions as F

app = hf.App({name!r}, auto_offset_reset={reset!r})
orders = app.stream({topic!r}, "item STRING, pieces BIGINT NOT NULL", key=str)
orders.group_by_key().count(store="orders-per-user")
good = orders.require(lambda o: o.pieces > 0, reason="no pieces")
good.group_by(lambda o: o.item).agg(pieces=lambda o: F.sum(o.pieces), store="sold")
"""


def written(tmp_path: Path, name: str, topic: str, reset: str = "earliest") -> str:
    file = tmp_path / "shop.py"
    file.write_text(PROGRAM.format(name=name, topic=topic, reset=reset))
    return str(file)


def test_replay_by_commands(
    topics: Topics, new_topic: Callable[..., str], drain: Callable[[hf.App], None],
    stores: Callable[[hf.App], dict[str, dict]], suffix: str, tmp_path: Path,
) -> None:  # fmt: skip
    topic = new_topic("orders")
    file = written(tmp_path, f"shop{suffix}", topic)
    app = load_app(file)
    topics.produce(
        [
            as_record(topic, "a", {"item": "x", "pieces": 2}, 1000),
            as_record(topic, "b", b"{", 2000),
            as_record(topic, "c", {"item": "x", "pieces": -3}, 3000),
        ]
    )
    drain(app)

    def dlq(*arguments: str) -> str:
        done = CliRunner().invoke(cli, ["dlq", *arguments, "--brokers", topics.brokers], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    rows = [json.loads(line) for line in dlq("show", file, "--json").splitlines()]
    by_node = {row["node"]: row for row in rows}
    assert by_node["require-1"]["value"] == '{"item":"x","pieces":-3}'
    broken = by_node[topic] | {"value": {"item": "y", "pieces": 4}}
    edited = tmp_path / "edited.jsonl"
    edited.write_text(json.dumps(broken))
    assert json.loads(dlq("replay", file, "--edit", str(edited), "--json"))["replayed"] == [broken["id"]]
    fix = tmp_path / "fix.py"
    fix.write_text("def positive(letter):\n    return {**letter.json(), 'pieces': -letter.json()['pieces']}\n")
    dlq("replay", file, "--reason", "no pieces", "--with", f"{fix}:positive")
    drain(app)
    wanted = {
        "orders-per-user": {"a": 1, "b": 1, "c": 1},
        "sold": {"x": {"pieces": 5}, "y": {"pieces": 4}},
    }
    assert stores(app) == wanted
    again = json.loads(dlq("replay", file, "--all", "--json"))
    assert (again["replayed"], len(again["replayed_before"])) == ([], 2)
    assert {(k["count"], k["replayed"]) for k in json.loads(dlq("list", file, "--json"))} == {(1, 1)}
    drain(app)
    assert stores(app) == wanted
