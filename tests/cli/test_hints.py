"""Dead letters and late records are told of once."""

import os

import holdfast as hf
from holdfast.cli.hints import Hints


def test_late_records_are_told_of_once_for_each_node():
    app = hf.App("shop")
    group = app.stream("orders", str, key=str).group_by_key()
    group.windowed_by(hf.tumbling("1 minute")).count(store="counted")
    group.windowed_by(hf.tumbling("1 minute"), late="late-orders").count(store="kept")
    hints = Hints(app, "kafka:9092")
    assert list(hints.new({"dead_letters": 0, "late": {}})) == []
    assert list(hints.new({"dead_letters": 0, "late": {"count:counted": 1}})) == [
        (
            "there are records that came too late for count:counted; they are only counted: "
            "a longer grace= takes them, late= keeps them in a topic"
        )
    ]
    assert list(hints.new({"dead_letters": 1, "late": {"count:counted": 9, "count:kept": 2}})) == [
        (
            "there are records that could not be processed (dead letters); which and why:\n"
            f"  holdfast dlq list {os.path.relpath(__file__)} --brokers kafka:9092"
        ),
        (
            "there are records that came too late for count:kept; which:\n"
            "  holdfast topics consume late-orders --from-beginning --json --brokers kafka:9092"
        ),
    ]
    assert list(hints.new({"dead_letters": 2, "late": {"count:counted": 9, "count:kept": 2}})) == []
