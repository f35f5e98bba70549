"""Run processors that share stores: record by record, in one call, with their stores and punctuations."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence

from holdfast.topology.processor_nodes import GroupSpec, Member
from holdfast.topology.runner_spec import Ask
from holdfast.workers.codec.arrow_batch import read_batch
from holdfast.workers.codec.column_decoder import ColumnDecoder, column_decoder
from holdfast.workers.codec.row_codec import ENCODING_ERRORS
from holdfast.workers.codec.timestamps import to_datetime
from holdfast.workers.process import framing
from holdfast.workers.process.failures import RAISED, failure_reason
from holdfast.workers.processor_api import Processor, Record
from holdfast.workers.runners.forwarding import ChildCodecs, Forward, Origin
from holdfast.workers.runners.live_context import LiveContext
from holdfast.workers.runners.live_store import LiveStore, StoreTypes
from holdfast.workers.runners.punctuations import Punctuation, Punctuations
from holdfast.workers.runners.undo_log import UndoLog


class ProcessorRunner:
    """Processors that run as one, ready to be run."""

    def __init__(self, group: GroupSpec) -> None:
        self.members = group.members
        self.stores = [StoreTypes(index, kept) for index, kept in enumerate(group.stores)]
        self.children = [ChildCodecs(id, child) for member in group.members for id, child in member.children]
        inputs = sorted((m for m in group.members if isinstance(m.takes, int)), key=lambda m: m.takes)
        self.readers = [(column_decoder(m.key, m.classes[0]), column_decoder(m.value, m.classes[1])) for m in inputs]

    def run(self, arguments: bytes, ask: Ask) -> bytes:
        """Run a batch; when a result cannot be encoded it is run again, with care, to find out whose it is."""
        try:
            return ProcessorCall(self, arguments, ask, careful=False).run()
        except ENCODING_ERRORS:
            return ProcessorCall(self, arguments, ask, careful=True).run()


class ProcessorFailed(Exception):
    """A processor cannot begin or end."""


class ProcessorCall:
    """One batch of a task."""

    def __init__(self, made: ProcessorRunner, arguments: bytes, ask: Ask, *, careful: bool) -> None:
        parts = framing.split(arguments)
        head = json.loads(parts[0])
        inputs = len(made.readers)
        self._made, self._careful = made, careful
        self._records = IncomingRecords(parts[1 : 2 + inputs], made.readers, head["topics"])
        self.now: int | None = head.get("now")
        self.wall: int = head.get("wall", 0)
        self._tick: int | None = head.get("tick")
        self._wall_clock_due = bool(head.get("rings"))
        self._undo = UndoLog()
        self.schedules = Punctuations(head["scheduled"], self._undo)
        self.beginning = True
        self._origin = Origin(-1, True, self.now or 0, None, None)
        self._number = 0
        self._failed: list[tuple[int, str]] = []
        self._untimely: list[tuple[int, str]] = []
        self._sent: dict[str, list[Forward]] = {child.id: [] for child in made.children}
        known = parts[2 + inputs :]
        self._stores = [
            LiveStore(types, entries, ask, self._undo, lambda: self._origin.time, careful, limits)
            for types, entries, limits in zip(made.stores, known, head["limits"], strict=True)
        ]
        self._processors: dict[str, Processor[object, object]] = {}
        self._consumers: dict[int | str, list[Member]] = {}
        for member in made.members:
            self._consumers.setdefault(member.takes, []).append(member)

    def run(self) -> bytes:
        """The answer to the kernel."""
        try:
            self._begin()
            for at, (port, record, time) in enumerate(self._records):
                self._process(at, port, record, time)
            self._advance_time()
            self._end()
        except ProcessorFailed as fatal:
            return framing.join([json.dumps({"fatal": str(fatal)}).encode()])
        head = {"scheduled": self.schedules.to_json(), "failed": self._failed, "untimely": self._untimely}
        changes = [store.changes() for store in self._stores]
        sent = [child.encode_all(self._sent[child.id]) for child in self._made.children]
        return framing.join([json.dumps(head).encode(), *changes, *sent])

    def _begin(self) -> None:
        by_id = {child.id: child for child in self._made.children}
        for member in self._made.members:
            context = LiveContext(self, member, [by_id[id] for id, _ in member.children])
            self._or_fail(member, functools.partial(self._initialise, member, context))
        self.beginning = False
        self.schedules.initialized()
        self._undo.commit()

    def _initialise(self, member: Member, context: LiveContext) -> None:
        processor = member.make()
        assert isinstance(processor, Processor)
        context.processor = processor
        processor.context = context
        for attribute, index in member.stores:
            setattr(processor, attribute, self._stores[index])
        self._processors[member.id] = processor
        processor.init(context)

    def _end(self) -> None:
        for member in self._made.members:
            self._or_fail(member, self._processors[member.id].close)

    @staticmethod
    def _or_fail(member: Member, step: Callable[[], object]) -> None:
        try:
            step()
        except RAISED as error:
            raise ProcessorFailed(failure_reason(member, error)) from error

    def _process(self, at: int, port: int, record: Record[object, object], time: int) -> None:
        self.now = time if self.now is None else max(self.now, time)
        self._origin, self._number = Origin(at, False, time, record.key, record.headers), 0
        member = self._consumers[port][0]
        try:
            self._processors[member.id].process(record)
            self._undo.commit()
        except RAISED as error:
            self._undo.roll_back()
            self._failed.append((at, failure_reason(member, error)))
        self._punctuate("event", self.now, at)

    def _advance_time(self) -> None:
        """What time alone brings, behind all records."""
        self._number = 0
        if self._tick is not None:
            self.now = self._tick if self.now is None else max(self.now, self._tick)
            self._punctuate("event", self.now, -1)
        if self._wall_clock_due:
            self._punctuate("wall", self.wall, -1)

    def _punctuate(self, clock: str, now: int, at: int) -> None:
        first = self.schedules.first(clock)
        if first is None or first > now:
            return
        self._origin = Origin(at, True, now, None, None)
        while (planned := self.schedules.due(clock, now)) is not None:
            self._call(planned, now)
            if planned.due is not None:
                planned.move(now)

    def _call(self, planned: Punctuation, now: int) -> None:
        processor = self._processors[planned.member]
        try:
            (self.schedules.callback(planned) or getattr(processor, planned.method))(to_datetime(now))
            self._undo.commit()
        except RAISED as error:
            self._undo.roll_back()
            member = next(member for member in self._made.members if member.id == planned.member)
            self._untimely.append((now, failure_reason(member, error)))

    def send(self, child: ChildCodecs, record: Record[object, object]) -> None:
        """Forward a record to a child, and hand it to the processors that take it there."""
        rows = self._sent[child.id]
        made = child.encode(record, self._origin, self._number, self._careful)
        rows.append(made)
        self._number += 1
        self._undo.add(rows.pop)
        for member in self._consumers.get(child.id, ()):
            self._processors[member.id].process(
                record.replace(key=child.keys.build(made.key), value=child.values.build(made.value))
            )


class IncomingRecords:
    """The records of a call, in order, with their inputs and times."""

    def __init__(
        self, parts: Sequence[bytes], readers: Sequence[tuple[ColumnDecoder, ColumnDecoder]], topics: Sequence[str]
    ) -> None:
        self._about = read_batch(parts[0])
        self._inputs = [_pairs(part, *each) for part, each in zip(parts[1:], readers, strict=True)]
        self._topics = dict(enumerate(topics))

    def __iter__(self) -> Iterator[tuple[int, Record[object, object], int]]:
        about = (self._about.column(name).to_pylist() for name in self._about.schema.names)
        for port, time, topic, partition, offset, headers in zip(*about, strict=True):
            key, value = next(self._inputs[port])
            named = {each["name"]: each["value"] for each in headers} if headers else {}
            yield port, Record(key, value, to_datetime(time), named, self._topics.get(topic), partition, offset), time


def _pairs(part: bytes, keys: ColumnDecoder, values: ColumnDecoder) -> Iterator[tuple[object, object]]:
    batch = read_batch(part)
    return iter(list(zip(keys(batch.column("key")), values(batch.column("value")), strict=True)))
