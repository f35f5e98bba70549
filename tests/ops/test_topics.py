"""Topics that are deleted and made again at once."""

from holdfast.topics.admin import Topics
from holdfast.topics.records import TopicSpec


def test_a_topic_that_was_just_deleted_is_made_again(topics: Topics):
    """The broker learns of a deletion after the controller: a topic that it still shows is not there any more."""
    specs = [TopicSpec(f"again-{n}", partitions=4) for n in range(5)]
    for _ in range(10):
        assert len(topics.ensure(specs)) == len(specs)
        topics.delete(spec.name for spec in specs)
