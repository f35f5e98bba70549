"""The same app started more than once in one process."""

from dataclasses import replace

import pytest

import holdfast as hf
from holdfast.errors import AlreadyRuns
from holdfast.runtime import start
from holdfast.topics.records import Record, TopicSpec
from tests.eventually import eventually


def copying(suffix):
    app = hf.App(f"starts{suffix}", tasks=1, trigger="100 ms")
    app.stream(f"in{suffix}", int, key=str).to(f"out{suffix}")
    return app


def written(topics, suffix):
    return [int(record.value) for record in topics.read(f"out{suffix}")]


def test_a_second_start_is_refused_and_the_first_goes_on(topics, suffix, run, tmp_path):
    topics.create(TopicSpec(f"in{suffix}", 1))
    run(copying(suffix))
    with pytest.raises(AlreadyRuns, match="already runs in this process"):
        run(copying(suffix))
    elsewhere = copying(suffix)
    elsewhere.settings = replace(elsewhere.settings, state_dir=tmp_path / "elsewhere")
    with pytest.raises(AlreadyRuns, match="already runs on"):
        start(elsewhere, brokers=topics.brokers)

    topics.produce([Record(f"in{suffix}", b"a", b"1")])
    eventually(lambda: written(topics, suffix), lambda found: found == [1], seconds=120)


def test_who_has_stopped_an_app_cannot_stop_it_again_after_its_next_start(topics, suffix, run):
    topics.create(TopicSpec(f"in{suffix}", 1))
    first = run(copying(suffix))
    first.stop()
    second = run(copying(suffix))
    first.stop()
    first.abort()

    topics.produce([Record(f"in{suffix}", b"a", b"1")])
    eventually(lambda: written(topics, suffix), lambda found: found == [1], seconds=120)
    assert second.active
    with pytest.raises(AlreadyRuns):
        run(copying(suffix))
