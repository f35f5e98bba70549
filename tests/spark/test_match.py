"""Patterns through Spark and Kafka: open matches outlive a stop."""

import json

import holdfast as hf
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from tests.spark.conftest import as_record

# In the future, so that the end of a drain, which is now, closes nothing.
START, MINUTE = 4_102_444_800_000, 60_000


def test_open_matches_go_on_where_the_app_stopped(topics, drain, suffix):
    app = hf.App(f"probes{suffix}")
    payments = app.stream(f"payments{suffix}", "amount DOUBLE", key=str, max_ahead=None).group_by_key()
    large = {"drain": lambda p, *, probe: p.amount > 100 * probe.amount}
    payments.match(hf.sequence(probe=lambda p: p.amount < 1, **large), within="10 minutes").to(f"drained{suffix}")
    quiet = hf.sequence(probe=lambda p: p.amount < 1, none=hf.absent(large["drain"]))
    payments.match(quiet, within="10 minutes").to(f"quiet{suffix}")
    ensure_topics(topics, plan(app.topology))

    def pay(card, amount, minute):
        topics.produce([as_record(f"payments{suffix}", card, {"amount": amount}, timestamp=START + minute * MINUTE)])
        drain(app)

    pay("a", 0.5, 0)
    pay("b", 0.25, 0)
    pay("a", 900.0, 1)
    pay("b", 900.0, 11)
    assert found(topics, f"drained{suffix}") == [("a", {"probe": {"amount": 0.5}, "drain": {"amount": 900.0}}, 1)]
    assert found(topics, f"quiet{suffix}") == [("b", {"probe": {"amount": 0.25}}, 10)]


def found(topics, name):
    return [(r.key.decode(), json.loads(r.value), (r.timestamp - START) // MINUTE) for r in topics.read(name)]
