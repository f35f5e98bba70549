"""What a stream or a table has after sample data came: the program runs in the Driver's kernel, with one more sink."""

from __future__ import annotations

import copy
import html
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from holdfast.dsl.app import App
from holdfast.dsl.handle import Records, Sample, app_of
from holdfast.dsl.stream import Stream
from holdfast.dsl.table import Table
from holdfast.errors import HoldfastError
from holdfast.testing.driver import Driver
from holdfast.testing.sample_rows import SampleRows
from holdfast.topics.data_files import data_files, records_of
from holdfast.topology.sources import Source

_SINK = "shown-rows"
_PREVIEW = 5
Input = tuple[str, object, object]
"""Topic, key and value of a record."""


def show(handle: Records[object, object], sample: Sample, rows: int) -> SampleRows:
    """The first rows of a stream, or of a table as it is at the end."""
    if rows < 1:
        raise HoldfastError(f"show(rows={rows}): a positive number was wanted")
    app = app_of(handle)
    inputs = list(_inputs(app, sample))
    with Driver(_with_sink(app, handle)) as driver:
        with driver.batch():
            for topic, key, value in inputs:
                driver.pipe(topic, value, key=key)
        found = [(record.key, record.value) for record in driver.read(_SINK)]
        lost = [letter.reason for letter in driver.dead_letters()]
    if handle.node.is_table:
        found = _latest(found)
    return SampleRows(handle.node.id, handle.schema, found[:rows], len(found), lost)


def preview(handle: Records[object, object]) -> str:
    """The same as HTML where there is sample data, with the reason where it cannot be shown."""
    try:
        if _directory(app_of(handle)) is None:
            return ""
        return show(handle, None, _PREVIEW)._repr_html_()
    except HoldfastError as problem:
        return f"<pre>{html.escape(str(problem))}</pre>"


def _with_sink(app: App, handle: Records[object, object]) -> App:
    """A copy of the app that also writes what is to be shown."""
    shown = copy.copy(app)
    shown.graph, shown.handles, shown._asked = app.graph.copy(), {}, []
    node = handle.node
    if isinstance(node, Source) and node.kind == "global":
        # A table that every task has whole is read like another; only this one is shown.
        node = replace(node, kind="table")
        shown.graph.nodes = [node]
    made: Table[object, object] | Stream[object, object]
    made = Table(shown.graph, node) if node.is_table else Stream(shown.graph, node)
    made.to(_SINK)
    return shown


def _inputs(app: App, sample: Sample) -> Iterator[Input]:
    """The records for the topics that the app reads."""
    if isinstance(sample, Mapping):
        for topic, records in sample.items():
            for each in records:
                yield (topic, *each) if isinstance(each, tuple) and len(each) == 2 else (topic, None, each)
        return
    directory = Path(sample) if sample is not None else _directory(app)
    if directory is None or not directory.is_dir():
        where = f"there is no directory {directory}" if directory else "there is no directory data with sample records"
        raise HoldfastError(f'show: {where}; give them: show({{"topic": [value, …]}}) or show("directory")')
    read = {topic for node in app.topology.sources for topic in node.topics_read}
    for file in data_files(directory):
        if file.stem in read:
            yield from ((each.topic, each.key, each.value) for each in records_of(file))


def _directory(app: App) -> Path | None:
    """Where sample data lies by default: next to the app's file, or here."""
    places = [*([app.file.parent] if app.file else []), Path.cwd()]
    return next((each / "data" for each in places if (each / "data").is_dir()), None)


def _latest(changes: list[tuple[object, object]]) -> list[tuple[object, object]]:
    """The last value of each key, without those that were deleted, in order of the keys where they have one."""
    last = {repr(key): (key, value) for key, value in changes}
    found = [(key, value) for key, value in last.values() if value is not None]
    numbers = all(isinstance(key, int | float) for key, _ in found)
    return sorted(found, key=lambda each: each[0] if numbers and isinstance(each[0], int | float) else repr(each[0]))
