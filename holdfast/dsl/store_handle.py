"""A store as a read-only mapping, wherever it is served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from holdfast.errors import NotServed
from holdfast.topics.windowed import Windowed
from holdfast.units.time import epoch_milliseconds

K = TypeVar("K")
V = TypeVar("V")


class Backend(Protocol):
    """What a server lends to a handle."""

    def get(self, key: Any) -> Any:
        """The value of a key, or KeyNotFound."""

    def all(self) -> Iterator[tuple[Any, Any]]:
        """All entries in the order of their keys."""

    def range(
        self, start: object = None, end: object = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[Any, Any]]:
        """The entries between two keys, both included."""

    def windows(self, key: object, start: object = None, end: object = None) -> Iterator[tuple[Windowed[Any], Any]]:
        """The windows of a key that begin in a span of time, both ends included."""

    def at(self, key: object, time: int) -> Any:
        """The value that a key had at a time, or KeyNotFound."""

    def count(self) -> int:
        """How many entries there are."""


class StoreHandle(Mapping[K, V], Generic[K, V]):
    """A named store: `handle[key]`, `handle.all()`; bound when the app is served.

    >>> import holdfast as hf
    >>> app = hf.App("clicks")
    >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
    >>> counts = app.store("per-user")
    >>> counts.name
    'per-user'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._backend: Backend | None = None

    def bind(self, backend: Backend | None) -> None:
        """Lend the handle what it reads from."""
        self._backend = backend

    @property
    def _bound(self) -> Backend:
        if self._backend is None:
            raise NotServed(
                f"store {self.name!r} can be read where it is served: in a route of the app, with "
                f"`holdfast run --serve` or `holdfast serve`; from outside ask the server: GET /stores/{self.name}"
            )
        return self._backend

    def __getitem__(self, key: K) -> V:
        value: V = self._bound.get(key)
        return value

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self.all())

    def __len__(self) -> int:
        return self._bound.count()

    def __bool__(self) -> bool:
        return True

    def all(self) -> Iterator[tuple[K, V]]:
        """All entries in the order of their keys.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> counts = app.store("per-user")
        >>> @app.get("/counts")
        ... def every():
        ...     return dict(counts.all())
        """
        return self._bound.all()

    def range(
        self, start: K | None = None, end: K | None = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[K, V]]:
        """The entries between two keys, both included.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> counts = app.store("per-user")
        >>> @app.get("/counts/{first}/{last}")
        ... def some(first: str, last: str):
        ...     return dict(counts.range(first, last))
        """
        return self._bound.range(start, end, prefix=prefix, reverse=reverse)

    def windows(
        self, key: object, start: str | datetime | int | None = None, end: str | datetime | int | None = None
    ) -> Iterator[tuple[Windowed[Any], V]]:
        """The windows of a key that begin between two times, both included, and their values.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> per_hour = app.store("clicks-per-hour")
        >>> @app.get("/clicks/{user}")
        ... def hours(user: str, since: int = 0):
        ...     return [{"hour": window.start, "clicks": n} for window, n in per_hour.windows(user, since)]
        """
        first, last = (None if time is None else epoch_milliseconds(time, "windows()") for time in (start, end))
        return self._bound.windows(key, first, last)

    def at(self, key: K, time: str | datetime | int) -> V:
        """The value that a key of a versioned store had at a time; KeyNotFound if none is known.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("exchange")
        >>> rates = app.table("rates", float, key=str, store=hf.Materialized("rates", versioned="1 hour"))
        >>> with Driver(app) as driver:
        ...     driver.pipe("rates", 2.0, key="EUR", timestamp="2026-01-01T12:00:00Z")
        ...     driver.pipe("rates", 3.0, key="EUR", timestamp="2026-01-01T12:30:00Z")
        ...     driver.store("rates").at("EUR", "2026-01-01T12:15:00Z")
        2.0
        """
        value: V = self._bound.at(key, epoch_milliseconds(time, "at()"))
        return value

    def to_arrow(self) -> Any:
        """The store as a `pyarrow.Table` with the columns key and value.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     driver.pipe("clicks", "home", key="ann")
        ...     driver.store("per-user").to_arrow().to_pylist()
        [{'key': 'ann', 'value': 1}]
        """
        import pyarrow

        return pyarrow.Table.from_pylist([{"key": _columns(key), "value": value} for key, value in self.all()])

    def to_pandas(self) -> Any:
        """The store as a `pandas.DataFrame` with the columns key and value; pandas must be installed.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     driver.pipe("clicks", "home", key="ann")
        ...     list(driver.store("per-user").to_pandas().columns)
        ['key', 'value']
        """
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"<StoreHandle {self.name}>"


def _columns(key: object) -> Any:
    """A key as Arrow takes it: one in a window is a record."""
    return {"key": key.key, "start": key.start, "end": key.end} if isinstance(key, Windowed) else key
