"""What `windowed_by` checks before a group has a window."""

from __future__ import annotations

from dataclasses import replace

from holdfast.dsl.handle import Handle
from holdfast.dsl.windows import Window
from holdfast.errors import TopologyError
from holdfast.names import check_name
from holdfast.position import user_position
from holdfast.topology.graph import StoreOptions
from holdfast.topology.tables import retracts
from holdfast.topology.windowing import WITHOUT_WINDOW_KEYS, W, Windowing

CLOSE_ON = {"stream_time": "records", "watermark": "source"}
COUNTED = {"last": "sliding_count", "every": "tumbling_count"}


def windowing_of(group: object, window: Window, late: str | None, close_on: str) -> Windowing:
    """The window of a group with what goes with it, checked."""
    if not isinstance(window, Window):
        raise _refused(f'a window was wanted, {window!r} came; give for example hf.tumbling("5 minutes")')
    if isinstance(group, Handle) and retracts(group.node):
        raise _refused("the rows of a table have no windows; window the stream that the table is made of")
    if getattr(group, "_windowing", None) is not None:
        raise _refused("the group has a window already; group once more for another one")
    if late is not None:
        check_name("topic", late, TopologyError, at=user_position())
    if close_on not in CLOSE_ON:
        raise _refused(f'close_on is {close_on!r}; it may be "stream_time" or "watermark"')
    if window.kind in COUNTED and (late is not None or close_on != "stream_time"):
        raise _refused(f"hf.{COUNTED[window.kind]}(n) counts records and knows no time; leave late= and close_on= out")
    if window.kind == "trailing" and close_on != "stream_time":
        raise _refused("a window of hf.trailing belongs to a record and never closes; leave close_on= out")
    return Windowing(window.to_json(), late, CLOSE_ON[close_on])


def windowed_options(store: StoreOptions, windowing: Windowing | None) -> StoreOptions:
    """The options of a windowed store: the window, too, may say that it emits every update."""
    emit = _emission(windowing.window) if windowing else "latest"
    if emit == "final" and store.emit == "every":
        raise _refused('the window has emit="final", the store emit="every"; leave one of them out')
    return replace(store, emit="every") if emit == "every" else store


def _emission(window: W) -> str:
    """When results are emitted; with one result per record or count of records, each is."""
    return "every" if window["kind"] in WITHOUT_WINDOW_KEYS else str(window.get("emit", "latest"))


def _refused(message: str) -> TopologyError:
    return TopologyError(f"windowed_by: {message}", at=user_position())
