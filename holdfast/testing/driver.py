"""The driver: records in, records out, stores to look into."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, cast

from holdfast.documents import Document
from holdfast.dsl.app import App
from holdfast.dsl.store_handle import StoreHandle
from holdfast.errors import HoldfastError
from holdfast.names import did_you_mean
from holdfast.plan import recorded_plan
from holdfast.plan.planner import plan as make_plan
from holdfast.plan.topic_order import topic_order
from holdfast.spark import kernel
from holdfast.stores import values
from holdfast.testing import bytes as raw
from holdfast.testing.driver_dashboard import ShownDriver
from holdfast.testing.functions import Functions
from holdfast.testing.kernel_driver import KernelDriver
from holdfast.testing.records import DeadLetter, LateRecord, Record, dead_letter, last_headers, late_record
from holdfast.testing.replays import SAME, Replays
from holdfast.testing.stores import LiveBackend, MemoryBackend, Versions
from holdfast.topics import header_names
from holdfast.topics.own_topics import dead_letter_topic
from holdfast.topology.graph import Topology
from holdfast.topology.sources import Source
from holdfast.topology.stateless import Print, To
from holdfast.types import from_json
from holdfast.types.comparing import has_decimal
from holdfast.units.time import epoch_milliseconds, moment

_MOST_ROUNDS = 1000
MAX_MESSAGE_BYTES = 16 << 20
"""What a topic takes that an app has made."""


class Driver:
    """Run an app in memory on the real kernel; each `pipe` is one batch.

    >>> import holdfast as hf
    >>> from holdfast.testing import Driver
    >>> app = hf.App("words")
    >>> app.stream("lines", str, key=str).group_by_key().count(store="lines-per-key").to("counts")
    >>> with Driver(app) as d:
    ...     d.pipe("lines", "hello", key="a")
    ...     d.pipe("lines", "again", key="a")
    ...     [r.value for r in d.read("counts")], d.store("lines-per-key")["a"]
    ([1, 2], 2)
    """

    def __init__(
        self, app: App, *, clock: str | datetime | int | None = None, max_message_bytes: int = MAX_MESSAGE_BYTES
    ) -> None:
        self._max_message_bytes = max_message_bytes
        self._clock = 0 if clock is None else epoch_milliseconds(clock, "Driver(clock=)")
        self._load(app, make_plan(app.topology))
        self._kernel = kernel.call(lambda: _opened(self._plan, self._clock, judges=clock is not None))
        kernel.call(lambda: self._kernel.limit(max_message_bytes))
        self._unread: dict[str, list[Document]] = {}
        self._batch: list[Document] | None = None
        self._letters = 0
        self._missed: list[LateRecord] = []
        self._shown: ShownDriver | None = None

    def _load(self, app: App, plan: Topology) -> None:
        if app.dataframes:
            raise HoldfastError("the Driver reads topics; an app with app.source(…) is tested with app.start()")
        self._types = kernel.check(plan.json())
        self.app, self._plan = app, plan
        self._sources = {topic: node for node in plan.nodes if isinstance(node, Source) for topic in node.topics}
        self._functions = Functions(app, self._types)
        self._replays = Replays(app, self._types)

    def __enter__(self) -> Driver:
        self._bind()
        return self

    def __exit__(self, *args: object) -> None:
        if self._shown is not None:
            self._shown.stop()
        self._unbind()

    def _bind(self) -> None:
        for name, handle in self.app.handles.items():
            handle.bind(LiveBackend(functools.partial(self._content, name)))

    def _unbind(self) -> None:
        for handle in self.app.handles.values():
            handle.bind(None)

    def pipe(
        self,
        topic: str,
        value: object = None,
        *,
        key: object = None,
        timestamp: str | datetime | int | None = None,
        headers: Mapping[str, bytes | str | None] | Iterable[tuple[str, bytes | str | None]] = {},
        partition: int = 0,
    ) -> None:
        """Put a record into a topic that the app reads: one call, one batch; pairs of headers may repeat a name."""
        source = self._source(topic)
        record = {
            "topic": topic,
            "partition": partition,
            "timestamp": self._clock if timestamp is None else epoch_milliseconds(timestamp, "pipe(timestamp=)"),
            "key": raw.text(raw.encode(source.key.to_json(), key, f"pipe({topic!r}, key=)")),
            "value": raw.text(raw.encode(source.value.to_json(), value, f"pipe({topic!r})")),
            "headers": raw.headers(headers),
        }
        if self._batch is not None:
            self._batch.append(record)
        else:
            self._run([record])

    @contextlib.contextmanager
    def batch(self) -> Iterator[None]:
        """Make several pipes one batch."""
        if self._batch is not None:
            raise HoldfastError("batch: a batch is open already")
        self._batch = []
        try:
            yield
            records, self._batch = self._batch, None
            self._run(records)
        finally:
            self._batch = None

    def read(self, topic: str, *, as_: type | None = None) -> list[Record]:
        """What came to a topic since the last read."""
        if any(node.late_topic == topic for node in self._plan.nodes):
            records = [self._late(each) for each in self._unread.pop(topic, [])]
        else:
            key, value = self._decoders(topic)
            records = [_record(each, key, value) for each in self._unread.pop(topic, [])]
        return records if as_ is None else [_typed(each, as_) for each in records]

    def store(self, name: str) -> StoreHandle[Any, Any]:  # whose types only the program knows
        """A store by name, as it is now."""
        stores = self._types["stores"]
        if name not in stores:
            raise HoldfastError(f"there is no store {name!r}{did_you_mean(name, stores)}")
        handle: StoreHandle[Any, Any] = StoreHandle(name)
        handle.bind(self._content(name))
        return handle

    def _content(self, name: str) -> MemoryBackend:
        types = self._types["stores"][name]
        key, value = from_json(types["key"]), from_json(types["value"])
        decimals = has_decimal(key) or has_decimal(value)
        content = json.loads(kernel.call(lambda: self._kernel.store(name)), parse_float=Decimal if decimals else None)
        return MemoryBackend(name, key, value, content, self._versions(name))

    def _versions(self, name: str) -> Versions | None:
        """How to ask for the versions of a key, if the store keeps any."""
        if self._plan.stores[name].versioned is None:
            return None
        return lambda key: json.loads(kernel.call(lambda: self._kernel.versions(name, values.dumps(key).decode())))

    def show(self, *, port: int = 0) -> ShownDriver:
        """Show the dashboard of this test: a server on this machine that follows each batch until the driver ends.

        >>> import holdfast as hf
        >>> app = hf.App("words")
        >>> app.stream("lines", str, key=str).group_by_key().count(store="lines-per-key")
        Table 'count:lines-per-key'
        >>> with Driver(app) as d:
        ...     shown = d.show()
        ...     d.pipe("lines", "hello", key="a")
        ...     shown.url.startswith("http://127.0.0.1:")
        True
        """
        if self._shown is None:
            self._shown = ShownDriver(self.app, self._plan, self._types, self._kernel, port)
        return self._shown

    def advance(self, **delta: float) -> None:
        """Let the wall clock go on: `advance(minutes=1)`."""
        self._clock += int(timedelta(**delta).total_seconds() * 1000)
        driver, now = self._kernel, self._clock
        self._run(self._took(self._functions.run(driver, lambda: driver.clock(now), lambda: driver.beginClock(now))))

    def crash(self, *, in_next_batch: bool = False) -> None:
        """Drop everything in memory; committed state remains.

        With `in_next_batch` that happens when all of the next batch is done and nothing of it is committed; it is then
        run again, as on Spark, where its records are still in Kafka.
        """
        if in_next_batch:
            self._kernel.crashInNextBatch()
            return
        self._batch = None
        self._kernel.crash()

    def restart(self, app: App) -> list[str]:
        """Go on with a changed program on the state there is, as a start would; gives the changes that are allowed.

        A program that does not fit the state is refused with StateMismatch, and the driver stays as it was.

        >>> import holdfast as hf
        >>> def program(store):
        ...     app = hf.App("words")
        ...     app.stream("lines", str, key=str).group_by_key().count(store=store).to("counts")
        ...     return app
        >>> with Driver(program("counts")) as d:
        ...     d.pipe("lines", "hello", key="a")
        ...     d.restart(program("counts"))
        ...     d.pipe("lines", "again", key="a")
        ...     [r.value for r in d.read("counts")]
        []
        [1, 2]
        """
        plan = make_plan(app.topology, recorded_plan.state_stages(self._plan), topic_order(self._plan))
        types = kernel.check(plan.json())
        allowed = recorded_plan.accepted_changes(self._plan, plan, self._types, types)
        self._batch = None
        self._missed = self.late()
        self._unbind()
        self._load(app, plan)
        self._kernel = kernel.call(lambda: self._kernel.restarted(json.dumps(plan.json())))
        kernel.call(lambda: self._kernel.limit(self._max_message_bytes))
        self._bind()
        if self._shown is not None:
            port = self._shown.stop()
            self._shown = None
            self.show(port=port)
        return allowed

    def dead_letters(self) -> list[DeadLetter]:
        """The records that could not be processed, since the last call."""
        found = self._unread.pop(dead_letter_topic(self.app.name), [])
        self._letters += len(found)
        first = self._letters - len(found)
        return [dead_letter(_record(each, _same, _same), number) for number, each in enumerate(found, first)]

    def replay(self, letter: DeadLetter, value: object = SAME, *, key: object = SAME, at: str = "node") -> None:
        """Put a dead letter back where it failed, or at its source, as `holdfast dlq replay` does; twice is once."""
        self._run(self._replays.records(letter, value, key, at))

    def late(self) -> list[LateRecord]:
        """The records that came after their window had closed, one for each such window, since the last call."""
        before, self._missed = self._missed, []
        found = json.loads(kernel.call(self._kernel.lateRecords))
        return before + [late_record(_record(each, *self._default_decoders(each["from"]))) for each in found]

    def _source(self, topic: str) -> Source:
        if topic not in self._sources:
            raise HoldfastError(f"the app does not read topic {topic!r}{did_you_mean(topic, self._sources)}")
        return self._sources[topic]

    def _run(self, records: list[Document]) -> None:
        """One batch, and then what the app has written to topics that it reads itself."""
        for _ in range(_MOST_ROUNDS):
            if not records:
                return
            records = self._took(self._batched(json.dumps(records)))
        raise HoldfastError(f"the app still feeds itself after {_MOST_ROUNDS} rounds")

    def _batched(self, batch: str) -> str:
        driver = self._kernel
        return self._functions.run(driver, lambda: str(driver.pipe(batch)), lambda: driver.begin(batch))

    def _took(self, answer: str) -> list[Document]:
        """Collect the output of a batch; give the records that the app reads itself."""
        self._print()
        outputs: list[Document] = json.loads(answer)
        if self._shown is not None:
            self._shown.update(outputs)
        for each in outputs:
            self._unread.setdefault(each["topic"], []).append(each)
        return [{**each, "partition": 0} for each in outputs if each["topic"] in self._sources]

    def _print(self) -> None:
        """Show what print() nodes had to show, where a test captures it."""
        if any(isinstance(node, Print) for node in self._plan.nodes):
            for line in json.loads(self._kernel.printed()):
                print(line)

    def _late(self, found: Document) -> Record:
        """A record of a late topic, with the types of the input by which it came."""
        types = self._types["nodes"][(_bytes(dict(found["headers"])[header_names.INPUT]) or b"").decode()]
        return _record(found, *(raw.decoder(raw.default_serde(types[which])) for which in ("key", "value")))

    def _decoders(self, topic: str) -> tuple[raw.Decoder, raw.Decoder]:
        if topic == dead_letter_topic(self.app.name):
            return _same, _same
        writers = [node for node in self._plan.nodes if isinstance(node, To)]
        fixed = [node for node in writers if node.topic == topic]
        dynamic = [node for node in writers if not isinstance(node.topic, str)]
        late = [node for node in self._plan.nodes if node.late_topic == topic]
        if late and not fixed:
            return self._default_decoders(late[0].inputs[0].id)
        if not fixed and not dynamic:
            known = [topic for node in writers for topic in node.topics_written]
            raise HoldfastError(f"the app does not write topic {topic!r}{did_you_mean(topic, known)}")
        node = (fixed or dynamic)[0]
        types = self._types["nodes"][node.id]
        key, value = (raw.decoder(self._serde(node, types, which)) for which in ("key", "value"))
        return key, value

    def _default_decoders(self, node: str) -> tuple[raw.Decoder, raw.Decoder]:
        types = self._types["nodes"][node]
        key, value = (raw.decoder(raw.default_serde(types[which])) for which in ("key", "value"))
        return key, value

    def _serde(self, node: To, types: Document, which: str) -> raw.Serde:
        asked = node.key if which == "key" else node.value
        return {"format": asked.format, "type": types[which]} if asked else raw.default_serde(types[which])


def _opened(plan: Topology, clock: int, *, judges: bool) -> KernelDriver:
    """The kernel's part; a clock that nobody has set judges no record."""
    drivers = kernel.gateway().jvm.io.holdfast.kernel.testing.TestDriver
    return cast(KernelDriver, drivers.open(json.dumps(plan.json()), clock, judges))


def _same(data: bytes | None) -> bytes | None:
    return data


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _record(found: Document, key: raw.Decoder, value: raw.Decoder) -> Record:
    headers = tuple((name, _bytes(text)) for name, text in found["headers"])
    return Record(
        key=key(_bytes(found["key"])),
        value=value(_bytes(found["value"])),
        timestamp=moment(found["timestamp"]),
        headers=last_headers(headers),
        all_headers=headers,
        milliseconds=found["timestamp"],
    )


def _typed(record: Record, as_: type) -> Record:
    if record.value is None:
        return record
    value = as_(**record.value) if isinstance(record.value, dict) else as_(record.value)
    return dataclasses.replace(record, value=value)
