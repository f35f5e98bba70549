"""The local broker refuses what Kafka refuses by default, and an app's own topics take it all the same."""

import time

import pytest

import holdfast as hf
from holdfast.errors import BrokerError
from holdfast.ops import kafka_config
from holdfast.ops.broker import Broker
from holdfast.plan.planner import plan
from holdfast.runtime.topics import ensure_topics
from holdfast.topics.admin import Topics
from holdfast.topics.records import Record, TopicSpec

pytestmark = pytest.mark.broker
AHEAD = 7 * 86_400_000


@pytest.fixture(scope="module")
def topics(tmp_path_factory):
    """Those of a broker as users have it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("holdfast.ops.broker.register", lambda state_dir: None)
        with Broker(tmp_path_factory.mktemp("default")) as local:
            yield Topics(local.address)


def test_the_local_broker_refuses_a_time_far_ahead(topics):
    topics.create(TopicSpec("some"))
    with pytest.raises(BrokerError, match=r"(?i)timestamp"):
        topics.produce([Record("some", b"k", b"v", timestamp=int(time.time() * 1000) + AHEAD)])


def test_an_apps_own_topics_take_any_time(topics):
    app = hf.App("ahead", tasks=2)
    app.stream("ahead-in", "n INT", key=str).group_by_key().count(store="counts").to("ahead-out")
    made = set(ensure_topics(topics, plan(app.topology)))
    own = made - {"ahead-in", "ahead-out"}
    assert {"ahead-counts-changelog", "ahead-dead-letters", "ahead-replay", "ahead-meta", "ahead-epochs"} <= own
    later = int(time.time() * 1000) + AHEAD
    assert topics.produce(Record(name, b"k", b"v", timestamp=later) for name in sorted(own)) == len(own)


def test_dead_letters_are_not_written_where_only_the_last_of_a_key_stays(topics):
    app = hf.App("compacting", tasks=2)
    app.stream("compacting-in", int, key=str).to("compacting-out")
    topics.create(TopicSpec("compacting-dead-letters", compacted=True))
    with pytest.raises(BrokerError, match="'compacting-dead-letters' has cleanup.policy 'compact', 'delete' is wanted"):
        ensure_topics(topics, plan(app.topology))


def test_no_limit_of_kafkas_is_hidden():
    hidden = [name for name in kafka_config.SETTINGS if "timestamp" in name or "transaction.max" in name]
    assert hidden == []
