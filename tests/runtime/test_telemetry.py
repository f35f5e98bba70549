"""What a running app publishes of itself: at once, when an epoch has ended, and at its end."""

import itertools
from dataclasses import replace

import pytest

import holdfast as hf
from holdfast.runtime.request import StartRequest
from holdfast.runtime.telemetry import Telemetry
from holdfast.topics.telemetry import EPOCHS, LARGEST, read_telemetry, telemetry_record, telemetry_spec
from tests.eventually import eventually
from tests.runtime.test_meter import Query

_numbers = itertools.count(1)


@pytest.fixture
def request_of_app(broker, topics, tmp_path):
    app = hf.App(f"telemetry-{next(_numbers)}")
    topics.ensure([telemetry_spec(app.name)])
    return StartRequest(app, replace(app.settings, brokers=broker.address, state_dir=tmp_path))


def published(topics, request):
    return [read_telemetry(record.value) for record in topics.read(telemetry_spec(request.app.name).name)]


@pytest.mark.broker
def test_epochs_are_published_once_and_the_end_last(request_of_app, topics):
    query = Query()
    telemetry = Telemetry(request_of_app, query).start()
    eventually(lambda: published(topics, request_of_app), lambda found: len(found) == 1)
    for epoch in range(EPOCHS + 5):
        query.ran(epoch, 10)
    found = eventually(lambda: published(topics, request_of_app), lambda found: len(found) == 2)
    assert [epoch["epoch"] for epoch in found[1]["last"]] == list(range(5, EPOCHS + 5))
    query.active = False
    telemetry.stop("failed", "disk full")
    telemetry.stop()
    found = published(topics, request_of_app)
    assert [(each["status"], each["problem"]) for each in found] == [
        ("running", None), ("running", None), ("failed", "disk full"),
    ]  # fmt: skip
    assert len({each["run"] for each in found}) == 1
    assert (found[2]["last"], found[2]["taken"]) == ([], {"hours": 12})


def test_what_would_be_too_large_is_not_published():
    assert telemetry_record("app", 1, {"run": "a", "taken": {"n" * LARGEST: 1}}) is None


@pytest.mark.parametrize("value", [None, b"", b"no json", b"[]", b'{"v": 2, "at": 1, "run": "a"}', b'{"v": 1}'])
def test_what_the_app_did_not_write_is_passed_over(value):
    assert read_telemetry(value) is None
