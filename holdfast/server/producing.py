"""`POST /topics/{topic}`: records for a topic that the app reads, and the token with which their effect is read."""

from __future__ import annotations

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from holdfast.documents import Document
from holdfast.errors import BrokerError, HoldfastError
from holdfast.names import did_you_mean
from holdfast.server.responses import Forbidden, Refusal, answer
from holdfast.server.rights import Rights
from holdfast.stores import exact_json, topic_bytes, values
from holdfast.stores.backend import Stores
from holdfast.stores.record_writer import RecordWriter, WrittenRecord
from holdfast.stores.session_token import SessionToken
from holdfast.stores.types import WrongType, shown, words
from holdfast.topics.own_topics import is_own
from holdfast.topics.records import Record
from holdfast.topics.serde import Serde
from holdfast.topology.document_reader import read
from holdfast.topology.sources import Source

MOST = 1000
_THREADS = 4
_SHAPE = 'send {"records": [{"key": …, "value": …}]}, and if you like "timestamp" in milliseconds'
_FIELDS = {"key", "value", "timestamp"}
_OFF = "this server writes no records"


class Producing:
    """Writes records for clients, if that is wanted."""

    def __init__(self, stores: Stores, is_on: bool) -> None:
        self._stores = stores
        self._is_on = is_on
        self._writer = RecordWriter(stores.kafka)
        self._threads: anyio.CapacityLimiter | None = None

    async def answer(self, request: Request, body: bytes, rights: Rights) -> Response:
        """Write the records of a body."""
        if not rights.is_everything:
            raise Forbidden(rights.token, "may not write records", "a token that may read everything writes them, too")
        if not self._is_on:
            raise Refusal(403, "produce_off", _OFF, "start it with --produce, or write to Kafka yourself")
        topic = request.path_params["topic"]
        records = _records(topic, self._source(topic), body)
        try:
            # Threads of their own: while the broker is away they wait, and others are answered.
            self._threads = self._threads or anyio.CapacityLimiter(_THREADS)
            written = await to_thread.run_sync(self._writer.write, records, limiter=self._threads)
        except BrokerError as error:
            raise Refusal(503, "not_written", str(error), "write them again: some may then be there twice") from None
        return answer({"records": [_place(each) for each in written], "session": _token(written)})

    def _source(self, topic: str) -> Source:
        topology = self._stores.catalog.topology
        if topology is None:
            raise Refusal(503, "not_ready", "no program is published yet", "ask GET /ready until there is one")
        found = {name: node for node in read(topology).nodes if isinstance(node, Source) for name in node.topics}
        if topic not in found or is_own(self._stores.app, topic):
            known = sorted(name for name in found if not is_own(self._stores.app, name))
            what = f"the app reads no topic {topic!r}{did_you_mean(topic, known)}"
            raise Refusal(404, "unknown_topic", what, f"topics: {', '.join(known)}")
        return found[topic]


def _records(topic: str, source: Source, body: bytes) -> list[Record]:
    try:
        given = exact_json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "bad_body", f"the body is not JSON: {str(error)[:200]}", _SHAPE) from None
    records = given.get("records") if isinstance(given, dict) else None
    if not isinstance(records, list) or not 1 <= len(records) <= MOST or given.keys() != {"records"}:
        raise Refusal(400, "bad_body", f"wanted 1 to {MOST} records", _SHAPE)
    return [_record(topic, source, number, each) for number, each in enumerate(records)]


def _record(topic: str, source: Source, number: int, given: Document) -> Record:
    if not isinstance(given, dict) or given.keys() - _FIELDS:
        raise Refusal(400, "bad_body", f"record {number}: wanted key, value and timestamp", _SHAPE)
    timestamp = given.get("timestamp")
    if timestamp is not None and (type(timestamp) is not int or not 0 <= timestamp < 2**63):
        raise Refusal(400, "bad_body", f"record {number}: a timestamp is milliseconds since 1970", _SHAPE)
    key = _encoded(source.key, given.get("key"), f"record {number}: key")
    value = _encoded(source.value, given.get("value"), f"record {number}: value")
    return Record(topic, key, value, timestamp=timestamp)


def _encoded(serde: Serde, value: object, where: str) -> bytes | None:
    """The bytes of a key or value; one that the app could not read is refused."""
    if value is None:
        return None
    try:
        read_back = values.converter(serde.type)(values.parser(serde.type)(exact_json.dumps(value)))
        return topic_bytes.encode(serde.to_json(), read_back if serde.format == "bytes" else value, where)
    except WrongType as error:
        raise Refusal(400, "wrong_type", f"{where}: {error}", f"it is {words(serde.type)}") from None
    except (HoldfastError, ValueError) as error:
        raise Refusal(400, "wrong_type", f"{where}: {error}; got {shown(value)}", _SHAPE) from None


def _place(written: WrittenRecord) -> Document:
    return {"partition": written.partition.number, "offset": written.offset}


def _token(written: list[WrittenRecord]) -> str:
    return str(SessionToken().with_writes(written))
