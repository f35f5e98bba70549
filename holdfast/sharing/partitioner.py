"""Where Kafka's clients put a key: a guess that saves questions, and on which no answer depends."""

from __future__ import annotations

from holdfast.stores.keys import KeyType
from holdfast.topics.windowed import is_windowed
from holdfast.types import STRING, Scalar, Struct

_M = 0x5BD1E995
_MASK = 0xFFFFFFFF


def partition_hash(keys: KeyType, encoded: bytes) -> int | None:
    """The number whose remainder is the partition of an encoded key; None if it is not known how its topic has it."""
    of, key = keys.type, keys.decode(encoded)
    if isinstance(of, Struct) and is_windowed(of):
        of, key = of.field("key"), getattr(key, "key", None)
    if of == STRING and isinstance(key, str):
        return murmur2(key.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF
    if isinstance(of, Scalar) and of.is_integer and isinstance(key, int):
        return murmur2(str(key).encode()) & 0x7FFFFFFF
    return None


def murmur2(data: bytes) -> int:
    """The hash that Kafka's Java clients use for keys, as 32 bits.

    >>> murmur2(b"21") - (1 << 32)
    -973932308
    """
    length = len(data)
    h = (0x9747B28C ^ length) & _MASK
    for at in range(0, length - 3, 4):
        k = (int.from_bytes(data[at : at + 4], "little") * _M) & _MASK
        k = ((k ^ (k >> 24)) * _M) & _MASK
        h = ((h * _M) & _MASK) ^ k
    if rest := data[length & ~3 :]:
        h = ((h ^ int.from_bytes(rest, "little")) * _M) & _MASK
    h = ((h ^ (h >> 13)) * _M) & _MASK
    return h ^ (h >> 15)
