"""Topics that are misspelt or do not fit, files and keys that are not as wanted."""

import json
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from holdfast.runtime import lock
from holdfast.topics.records import TopicSpec

pytestmark = pytest.mark.broker


def test_a_misspelt_topic(holdfast, broker, topics, tmp_path):
    topics.ensure([TopicSpec("purchases")])
    (tmp_path / "shop.py").write_text(
        'import holdfast as hf\napp = hf.App("shop")\n'
        'app.stream("purchsaes", str, key=str).group_by_key().count(store="n")\n'
    )
    refused = holdfast("run", "shop.py", "--brokers", broker.address)
    refused.means("topic 'purchsaes' does not exist", "did you mean 'purchases'", "holdfast topics create purchsaes")
    holdfast("topics", "produce", "purchsaes", "--brokers", broker.address, "shop.py").means("did you mean 'purchases'")


def test_a_changelog_that_is_not_compacted(holdfast, broker, topics, tmp_path):
    topics.ensure([TopicSpec("till-n-changelog")])
    (tmp_path / "till.py").write_text(
        'import holdfast as hf\napp = hf.App("till")\n'
        'app.stream("receipts", str, key=str).group_by_key().count(store="n")\n'
    )
    refused = holdfast("run", "till.py", "--brokers", broker.address)
    refused.means("topic 'till-n-changelog' has cleanup.policy 'delete', 'compact' is wanted", "delete it")
    assert "receipts" not in {topic.name for topic in topics.existing()}


def test_a_malformed_data_file(holdfast, broker, new_topic, topics, tmp_path):
    name = new_topic()
    (tmp_path / "players.json").write_text('1|{"id": 1}\n2 {"id": 2}\n')
    refused = holdfast("topics", "produce", name, "players.json", "--key-separator", "|", "--brokers", broker.address)
    refused.means("players.json:2: wanted key|value, got '2 {", "--key-separator")
    assert topics.read(name) == []


def test_a_data_file_that_is_not_there(holdfast, broker, new_topic):
    refused = holdfast("topics", "produce", new_topic(), "playres.json", "--brokers", broker.address)
    refused.means("'playres.json' does not exist", status=2)


def test_an_unknown_store(holdfast, served):
    holdfast("query", "leaderbord", "--url", served.url).means("no store 'leaderbord'", "did you mean 'leaderboard'")


def test_a_key_of_the_wrong_type(holdfast, served):
    holdfast("query", "leaderboard", "one", "--url", served.url).means("'one'", "wanted long")
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{served.url}/stores/leaderboard/keys/one", timeout=10)
    assert refused.value.code == 400
    said = json.loads(refused.value.read())["error"]
    assert "wanted long" in said["message"]
    assert said["hint"]


def test_an_app_that_runs_already(holdfast, broker, program, tmp_path):
    state = tmp_path / ".holdfast" / "first"
    held = lock.hold(state, "first")
    try:
        refused = holdfast("run", program('events.to("out")'), "--brokers", broker.address)
    finally:
        held.release()
    refused.means("app 'first' already runs in process", str(state), "--state-dir")
