"""The stores of processors, as their authors see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, NoReturn, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")


class StateStore(Generic[K, V]):
    """A store of a processor, declared as an attribute of its class; processors that name the same one share it.

    With a name it has a changelog and can be queried like any other; without one it is the processor's own. Each task
    has its own part: of the records whose keys are in the task. A store without a name gets one by `process(store=)`.

    >>> import holdfast as hf
    >>> class Count(hf.Processor[str, str]):
    ...     returns = int
    ...     counts = hf.StateStore("counts", key=str, value=int)
    ...     def process(self, record: hf.Record[str, str]) -> None:
    ...         self.counts[record.key] = self.counts.get(record.key, 0) + 1
    ...         self.context.forward(record.replace(value=self.counts[record.key]))
    """

    @overload
    def __init__(self: StateStore[K, V], name: str | None = None, *, key: type[K], value: type[V]) -> None: ...
    @overload
    def __init__(  # types given in DDL are unknown to who checks the program
        self: StateStore[Any, Any], name: str | None = None, *, key: object, value: object
    ) -> None: ...
    def __init__(self, name: str | None = None, *, key: object, value: object) -> None:
        self.name = name
        self.key = key
        self.value = value

    @overload
    def get(self, key: K) -> V | None: ...
    @overload
    def get(self, key: K, default: V) -> V: ...
    def get(self, key: K, default: V | None = None) -> V | None:
        """The value of a key, as a copy: changes of it are stored by `put` only.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         total = self.totals.get(record.key, 0)
        """
        self._idle()

    def put(self, key: K, value: V | None) -> None:
        """Set the value of a key; None deletes it.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         self.totals.put(record.key, record.value)
        """
        self._idle()

    def put_if_absent(self, key: K, value: V) -> V | None:
        """Set the value of a key that has none; give the value that it has.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         first = self.totals.put_if_absent(record.key, record.value) is None
        """
        self._idle()

    def delete(self, key: K) -> V | None:
        """Delete a key; give the value that it had.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         last = self.totals.delete(record.key)
        """
        self._idle()

    def range(
        self, start: K | None = None, end: K | None = None, *, prefix: K | None = None, reverse: bool = False
    ) -> Iterator[tuple[K, V]]:
        """The entries of this task between two keys, both included, or with a prefix, in the order of their keys.

        What is written meanwhile does not change what comes. The first scan of a batch reads the keys of the whole
        store of the task.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         near = list(self.totals.range(record.key, reverse=True))
        """
        self._idle()

    def all(self, *, reverse: bool = False) -> Iterator[tuple[K, V]]:
        """All entries of this task in the order of their keys.

        >>> import holdfast as hf
        >>> class Example(hf.Processor[str, int]):
        ...     totals = hf.StateStore("totals", key=str, value=int)
        ...     def process(self, record: hf.Record[str, int]) -> None:
        ...         total = sum(value for key, value in self.totals.all())
        """
        self._idle()

    def __contains__(self, key: K) -> bool:
        """Whether the key has a value."""
        self._idle()

    def __getitem__(self, key: K) -> V:
        """The value of a key; KeyError if it has none."""
        self._idle()

    def __setitem__(self, key: K, value: V | None) -> None:
        """Set the value of a key."""
        self._idle()

    def __delitem__(self, key: K) -> None:
        """Delete a key; KeyError if it has no value."""
        self._idle()

    def _idle(self) -> NoReturn:
        raise RuntimeError(f"the store {self.name!r} is read and written by a processor that runs: self.<attribute>")
