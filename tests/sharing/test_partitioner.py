"""Where Kafka's clients put keys."""

from datetime import UTC, datetime

import pytest

from holdfast.sharing.partitioner import murmur2, partition_hash
from holdfast.stores.keys import KeyType
from holdfast.topics.windowed import Windowed, windowed_type
from holdfast.types import BINARY, LONG, STRING

# Of Kafka's own tests of its hash.
KNOWN = {
    b"21": -973932308, b"foobar": -790332482, b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829, b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}  # fmt: skip


@pytest.mark.parametrize(("key", "wanted"), KNOWN.items())
def test_it_is_the_hash_of_kafkas_java_client(key, wanted):
    assert murmur2(key) == wanted % (1 << 32)


def test_a_key_is_hashed_as_its_topic_has_it_and_a_window_by_its_key():
    def hashed(of, key):
        return partition_hash(KeyType(of), KeyType(of).encode(key))

    assert hashed(STRING, "foobar") == KNOWN[b"foobar"] & 0x7FFFFFFF
    assert hashed(LONG, 21) == KNOWN[b"21"] & 0x7FFFFFFF
    begin, end = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)
    assert hashed(windowed_type(STRING), Windowed("foobar", begin, end)) == KNOWN[b"foobar"] & 0x7FFFFFFF
    assert hashed(BINARY, b"foobar") is None
