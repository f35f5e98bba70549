"""What a processor is made of, as its author sees it: the class, its context and its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypedDict, TypeVar, Unpack, overload

K = TypeVar("K")
V = TypeVar("V")
K_co = TypeVar("K_co", covariant=True)
V_co = TypeVar("V_co", covariant=True)
NewK = TypeVar("NewK")
NewV = TypeVar("NewV")
Clock = Literal["event", "wall"]


class _RecordFields(TypedDict, total=False):
    """The fields of a record whose types do not depend on the program."""

    timestamp: datetime
    headers: Mapping[str, bytes | None]
    topic: str | None
    partition: int | None
    offset: int | None


class Record(NamedTuple, Generic[K_co, V_co]):
    """A record as a processor gets it and forwards it; what a punctuation makes has no topic, partition and offset.

    >>> from datetime import UTC, datetime
    >>> import holdfast as hf
    >>> record = hf.Record("a", 1, datetime(2026, 1, 1, tzinfo=UTC))
    >>> record.replace(value=2).value
    2
    """

    key: K_co
    value: V_co
    timestamp: datetime
    headers: Mapping[str, bytes | None] = MappingProxyType({})
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None

    @overload
    def replace(self, *, key: NewK, value: NewV, **changes: Unpack[_RecordFields]) -> Record[NewK, NewV]: ...
    @overload
    def replace(self, *, key: NewK, **changes: Unpack[_RecordFields]) -> Record[NewK, V_co]: ...
    @overload
    def replace(self, *, value: NewV, **changes: Unpack[_RecordFields]) -> Record[K_co, NewV]: ...
    @overload
    def replace(self, **changes: Unpack[_RecordFields]) -> Record[K_co, V_co]: ...
    def replace(self, **changes: Any) -> Record[object, object]:  # what may change, the overloads say
        """The same record with other fields.

        >>> from datetime import UTC, datetime
        >>> import holdfast as hf
        >>> hf.Record("a", 1, datetime(2026, 1, 1, tzinfo=UTC)).replace(key="b").key
        'b'
        """
        return self._replace(**changes)


class Schedule:
    """A punctuation that was asked for."""

    def cancel(self) -> None:
        """Ask for no more of it.

        >>> import holdfast as hf
        >>> class Once(hf.Processor[str, str]):
        ...     def init(self, context: hf.ProcessorContext) -> None:
        ...         self.flush = context.schedule("1 minute", self.punctuate)
        ...     def punctuate(self, now: object) -> None:
        ...         self.flush.cancel()
        """
        raise NotImplementedError


class ProcessorContext:
    """What a processor may ask of the task it runs in."""

    @property
    def stream_time(self) -> datetime | None:
        """The latest time of the records that came to this processor's task; None before the first.

        >>> import holdfast as hf
        >>> class Behind(hf.Processor[str, str]):
        ...     returns = float
        ...     def process(self, record: hf.Record[str, str]) -> None:
        ...         behind = self.context.stream_time - record.timestamp
        ...         self.context.forward(record.replace(value=behind.total_seconds()))
        """
        raise NotImplementedError

    @property
    def wall_time(self) -> datetime:
        """The time on the clock when the batch began; the same when the batch is repeated.

        >>> import holdfast as hf
        >>> class Delayed(hf.Processor[str, str]):
        ...     returns = float
        ...     def process(self, record: hf.Record[str, str]) -> None:
        ...         delay = self.context.wall_time - record.timestamp
        ...         self.context.forward(record.replace(value=delay.total_seconds()))
        """
        raise NotImplementedError

    def forward(self, record: Record[object, object], to: str | None = None) -> None:
        """Send a record on: to all, or to the child of that name; children with types of their own are not among all.

        >>> import holdfast as hf
        >>> class Sorting(hf.Processor[str, int]):
        ...     children = ("low", "high")
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         self.context.forward(record, to="low" if record.value < 10 else "high")
        """
        raise NotImplementedError

    def schedule(
        self, interval: str | timedelta, callback: Callable[[datetime], object], clock: Clock = "event"
    ) -> Schedule:
        """Call `callback` again and again: each time that stream time, or the clock, has gone on by the interval.

        As in Kafka Streams, event time counts from 1970 and the first call comes with the first record; the clock
        counts from now. Outside of `init` the callback must be a method of the processor.

        >>> import holdfast as hf
        >>> class Flushing(hf.Processor[str, str]):
        ...     def init(self, context: hf.ProcessorContext) -> None:
        ...         context.schedule("1 minute", self.flush)
        ...     def flush(self, now: object) -> None:
        ...         print("a minute has passed")
        """
        raise NotImplementedError

    def cancel(self, callback: Callable[[datetime], object]) -> None:
        """Cancel every schedule of a method of the processor, also of one that an earlier batch has made.

        >>> import holdfast as hf
        >>> class Once(hf.Processor[str, str]):
        ...     def process(self, record: hf.Record[str, str]) -> None:
        ...         self.context.schedule("1 minute", self.flush)
        ...     def flush(self, now: object) -> None:
        ...         self.context.cancel(self.flush)
        """
        raise NotImplementedError


class Processor(Generic[K, V]):
    """A part of a program with stores, punctuations and children of its own, for what the other methods cannot say.

    `returns` is the type of the values that it forwards, or `(key type, value type)` if it changes keys; without it,
    types stay as they are. `children` names further ways on: a list of names, or names with types of their own.

    A processor is made anew for each batch: what must last longer belongs into a store.

    >>> import holdfast as hf
    >>> from holdfast.testing import Driver
    >>> class Count(hf.Processor[str, str]):
    ...     returns = int
    ...     counts = hf.StateStore("counts", key=str, value=int)
    ...     def process(self, record: hf.Record[str, str]) -> None:
    ...         self.counts[record.key] = self.counts.get(record.key, 0) + 1
    ...         self.context.forward(record.replace(value=self.counts[record.key]))
    >>> app = hf.App("words")
    >>> app.stream("lines", str, key=str).process(Count).to("counted")
    >>> with Driver(app) as d:
    ...     d.pipe("lines", "hello", key="a")
    ...     d.pipe("lines", "again", key="a")
    ...     [r.value for r in d.read("counted")], d.store("counts")["a"]
    ([1, 2], 2)
    """

    returns: ClassVar[object] = None
    children: ClassVar[object] = ()
    context: ProcessorContext

    def init(self, context: ProcessorContext) -> None:
        """Begin: called before the first record of a batch; the place to ask for punctuations.

        >>> import holdfast as hf
        >>> class Flushing(hf.Processor[str, str]):
        ...     def init(self, context: hf.ProcessorContext) -> None:
        ...         context.schedule("1 minute", lambda now: print(now), clock="wall")
        """

    def process(self, record: Record[K, V]) -> None:
        """Take a record; an exception sends it to the dead letters, and what was done for it is undone.

        >>> import holdfast as hf
        >>> class Twice(hf.Processor[str, str]):
        ...     def process(self, record: hf.Record[str, str]) -> None:
        ...         self.context.forward(record)
        ...         self.context.forward(record)
        """
        raise NotImplementedError(f"{type(self).__name__} has no process(self, record)")

    def close(self) -> None:
        """End: called after the last record of a batch.

        >>> import holdfast as hf
        >>> class Closing(hf.Processor[str, str]):
        ...     def close(self) -> None:
        ...         print("the batch is done")
        """
