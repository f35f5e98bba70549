"""A store as a read-only mapping, wherever it is served."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from holdfast.dsl.store_update import StoreUpdate
from holdfast.errors import NotServed
from holdfast.html_tables import html_table
from holdfast.topics.windowed import Windowed
from holdfast.types import DataType
from holdfast.units.time import epoch_milliseconds, span_milliseconds

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

K = TypeVar("K")
V = TypeVar("V")
_SHOWN = 20


class Backend(Protocol[K, V]):
    """What a handle reads from; the keys of a windowed store are `Windowed`, of keys that `K` has no name for."""

    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values."""

    def get(self, key: K) -> V:
        """The value of a key, or KeyNotFound."""

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of those of the keys that there are."""

    def all(self) -> Iterator[tuple[K, V]]:
        """All entries in the order of their keys."""

    def snapshot(self) -> Iterable[tuple[K, V]]:
        """All entries as of one epoch, in the order of their keys."""

    def range(
        self, start: K | None = None, end: K | None = None, *, prefix: object = None, reverse: bool = False
    ) -> Iterator[tuple[K, V]]:
        """The entries between two keys, both included."""

    def windows(
        self, key: object, start: object = None, end: object = None, *, reverse: bool = False
    ) -> Iterator[tuple[Windowed[Any], V]]:
        """The windows of a key that begin in a span of time, both ends included."""

    def all_windows(
        self, start: object = None, end: object = None, *, reverse: bool = False
    ) -> Iterator[tuple[Windowed[Any], V]]:
        """The windows of all keys that begin in a span of time, both ends included."""

    def at(self, key: K, time: int) -> V:
        """The value that a key had at a time, or KeyNotFound."""

    def watch(
        self, keys: Sequence[Any], start: object, end: object, prefix: object, after: int | str | None
    ) -> Iterator[StoreUpdate[Any, Any]]:
        """What there is, and then the changes of every epoch."""

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
        self._backend: Backend[K, V] | None = None

    def bind(self, backend: Backend[K, V] | None) -> None:
        """Lend the handle what it reads from."""
        self._backend = backend

    @property
    def _bound(self) -> Backend[K, V]:
        if self._backend is None:
            raise NotServed(
                f"store {self.name!r} can be read where it is served: in a route of the app, with "
                "`holdfast run --serve`, `holdfast serve` or `app.start(serve=True)`; "
                f"from outside ask the server: GET /stores/{self.name}"
            )
        return self._backend

    def __getitem__(self, key: K) -> V:
        return self._bound.get(key)

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self.all())

    def __len__(self) -> int:
        return self._bound.count()

    def __bool__(self) -> bool:
        return True

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of many keys at once, as of one epoch; keys that the store does not have are left out.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     driver.pipe("clicks", "home", key="ann")
        ...     driver.store("per-user").get_many(["ann", "bob"])
        {'ann': 1}
        """
        return self._bound.get_many(keys)

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
        self,
        key: object,
        start: str | datetime | int | None = None,
        end: str | datetime | int | None = None,
        *,
        reverse: bool = False,
    ) -> Iterator[tuple[Windowed[Any], V]]:
        """The windows of a key that begin between two times, both included, and their values.

        >>> import holdfast as hf
        >>> app = hf.App("clicks")
        >>> per_hour = app.store("clicks-per-hour")
        >>> @app.get("/clicks/{user}")
        ... def hours(user: str, since: int = 0):
        ...     return [{"hour": window.start, "clicks": n} for window, n in per_hour.windows(user, since)]
        """
        return self._bound.windows(key, *span_milliseconds(start, end, "windows()"), reverse=reverse)

    def all_windows(
        self,
        start: str | datetime | int | None = None,
        end: str | datetime | int | None = None,
        *,
        reverse: bool = False,
    ) -> Iterator[tuple[Windowed[Any], V]]:
        """The windows of all keys that begin between two times, both included, by key and then by time.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> hours = app.stream("clicks", str, key=str).group_by_key().windowed_by(hf.tumbling("1 hour"))
        >>> table = hours.count(store="clicks-per-hour")
        >>> with Driver(app) as driver:
        ...     for user, time in [("bob", "09:10"), ("ann", "09:50")]:
        ...         driver.pipe("clicks", "home", key=user, timestamp=f"2026-01-01T{time}:00Z")
        ...     nine = driver.store("clicks-per-hour").all_windows(end="2026-01-01T09:59:00Z")
        ...     [(window.key, clicks) for window, clicks in nine]
        [('ann', 1), ('bob', 1)]
        """
        return self._bound.all_windows(*span_milliseconds(start, end, "all_windows()"), reverse=reverse)

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
        return self._bound.at(key, epoch_milliseconds(time, "at()"))

    def watch(
        self,
        *keys: K,
        start: K | None = None,
        end: K | None = None,
        prefix: object = None,
        after: int | str | None = None,
    ) -> Iterator[StoreUpdate[K, V]]:
        """What there is of some keys, of a range or of everything, and then the changes of every epoch, as they come.

        With `after` it goes on behind an epoch, or the `id` of an update, that was seen earlier. A handle of
        `hf.connect` can be watched.

        >>> import holdfast as hf
        >>> def follow(url):
        ...     with hf.connect(url) as client:
        ...         for update in client["per-user"].watch("ann", "bob"):
        ...             print(update.epoch, update.changes)
        """
        return self._bound.watch(keys, start, end, prefix, after)

    def to_arrow(self) -> pyarrow.Table:
        """The store as a `pyarrow.Table` with the columns key and value, in the store's own types, as of one epoch.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     driver.pipe("clicks", "home", key="ann")
        ...     driver.store("per-user").to_arrow().to_pylist()
        [{'key': 'ann', 'value': 1}]
        """
        from holdfast.workers.codec.arrow_tables import table

        return table(*self._bound.types(), self._bound.snapshot())

    @property
    def types(self) -> tuple[DataType, DataType]:
        """The types of keys and values.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     print(*driver.store("per-user").types)
        STRING BIGINT
        """
        return self._bound.types()

    def to_pandas(self) -> pandas.DataFrame:
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
        frame: pandas.DataFrame = self.to_arrow().to_pandas(maps_as_pydicts="strict")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The store as a `polars.DataFrame` with the columns key and value; polars must be installed.

        >>> import holdfast as hf
        >>> from holdfast.testing import Driver
        >>> app = hf.App("clicks")
        >>> table = app.stream("clicks", str, key=str).group_by_key().count(store="per-user")
        >>> with Driver(app) as driver:
        ...     driver.store("per-user").to_polars().columns
        ['key', 'value']
        """
        import polars

        return polars.DataFrame(self.to_arrow())

    def __repr__(self) -> str:
        return f"<StoreHandle {self.name}>"

    def _repr_html_(self) -> str:
        if self._backend is None:
            return f"<pre>{html.escape(f'{self!r}, not served here')}</pre>"
        first = list(islice(self.all(), _SHOWN))
        caption = f"{self.name}, {len(self)} entries" + (f", the first {_SHOWN}" if len(self) > _SHOWN else "")
        return html_table(["key", "value"], first, caption)
