"""What is asked of a server that writes records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import quote

import orjson

from holdfast.client.requests import Question, Request
from holdfast.stores import values
from holdfast.units.time import epoch_milliseconds

AT_ONCE = 1000


def records(topic: str, given: Iterable[Mapping[str, object]]) -> Question[str]:
    """Write records; gives the token with which their effect is read."""
    reply = yield Request(f"/topics/{quote(topic.encode(), safe='')}", body=values.dumps({"records": list(given)}))
    token: str = orjson.loads(reply.body)["session"]
    return token


def record(key: object, value: object, timestamp: str | datetime | int | None) -> Mapping[str, object]:
    """A record as a request has it."""
    at = {} if timestamp is None else {"timestamp": epoch_milliseconds(timestamp, "produce(timestamp=)")}
    return {"key": key, "value": value, **at}
