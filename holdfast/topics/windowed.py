"""A key in one of its windows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Generic, NoReturn, TypeVar

from holdfast.types import TIMESTAMP, DataType, Field, Struct
from holdfast.units.time import epoch_milliseconds

K = TypeVar("K")
Time = str | datetime | int
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARK = {"window": True}
_TIMES = ("start", "end")


class Windowed(Generic[K]):
    """The key of a windowed table: a key, and the beginning and end of one of its windows in UTC.

    >>> import holdfast as hf
    >>> hf.Windowed("ann", "2026-01-01T00:00:00Z", "2026-01-01T00:05:00Z").start.hour
    0
    """

    __slots__ = ("end", "key", "start")
    key: K
    start: datetime
    end: datetime

    def __init__(self, key: K, start: Time, end: Time) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "start", _moment(start, "start"))
        object.__setattr__(self, "end", _moment(end, "end"))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Windowed key cannot be changed; make another with the {name} you want")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Windowed) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __lt__(self, other: Windowed[K]) -> bool:
        return self._parts() < other._parts()

    def __repr__(self) -> str:
        return f"Windowed({self.key!r}, {self.start.isoformat()!r}, {self.end.isoformat()!r})"

    def __reduce__(self) -> tuple[type[Windowed[K]], tuple[K, datetime, datetime]]:
        return Windowed, self._parts()

    def _parts(self) -> tuple[K, datetime, datetime]:
        return self.key, self.start, self.end

    def to_json(self) -> dict[str, object]:
        """The form it has in topics and answers: times in milliseconds.

        >>> import holdfast as hf
        >>> hf.Windowed("ann", "1970-01-01T00:00:00Z", "1970-01-01T00:00:05Z").to_json()
        {'key': 'ann', 'start': 0, 'end': 5000}
        """
        return {"key": self.key, "start": milliseconds_of(self.start), "end": milliseconds_of(self.end)}


def milliseconds_of(moment: datetime) -> int:
    """An aware datetime as milliseconds since 1970."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _moment(time: Time, what: str) -> datetime:
    if isinstance(time, datetime) and time.tzinfo is not None:
        return time.astimezone(UTC)
    return _EPOCH + timedelta(milliseconds=epoch_milliseconds(time, f"Windowed {what}"))


def windowed_type(key: DataType) -> DataType:
    """The type of keys in windows."""
    return Struct([Field("key", key), *(Field(name, TIMESTAMP, metadata=_MARK) for name in _TIMES)])


def is_windowed(of: DataType) -> bool:
    """Whether the type is that of keys in windows."""
    if not isinstance(of, Struct) or of.names != ["key", *_TIMES]:
        return False
    return all(each.type == TIMESTAMP and each.metadata.get("window") is True for each in of.fields[1:])
