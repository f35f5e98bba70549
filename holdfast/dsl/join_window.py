"""The window of a stream-stream join: how far apart two records may be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from holdfast.errors import TopologyError
from holdfast.position import user_position
from holdfast.units.duration import milliseconds

Duration = str | timedelta


@dataclass(frozen=True, init=False)
class JoinWindow:
    """The right record at most `before` earlier and at most `after` later than the left one, bounds included.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> orders = app.stream("orders", "item STRING", key=str)
    >>> payments = app.stream("payments", "amount DOUBLE", key=str)
    >>> paid = orders.join(payments, within=hf.JoinWindow(before="0 ms", after="1 hour", grace="5 minutes"))
    """

    before: int
    after: int
    grace: int

    def __init__(self, *, before: Duration, after: Duration, grace: Duration = "0 ms") -> None:
        object.__setattr__(self, "before", milliseconds(before, "JoinWindow: before"))
        object.__setattr__(self, "after", milliseconds(after, "JoinWindow: after"))
        object.__setattr__(self, "grace", milliseconds(grace, "JoinWindow: grace"))


def join_window(within: Duration | JoinWindow | None, grace: Duration | None) -> JoinWindow:
    """What `within=` and `grace=` of a join say together."""
    if within is None:
        raise TopologyError(
            'joining two streams needs to know how far apart records may be; say within="1 second"', at=user_position()
        )
    if not isinstance(within, JoinWindow):
        return JoinWindow(before=within, after=within, grace="0 ms" if grace is None else grace)
    if grace is not None:
        raise TopologyError(
            "grace= is given twice; say it in hf.JoinWindow(before=..., after=..., grace=...)", at=user_position()
        )
    return within
