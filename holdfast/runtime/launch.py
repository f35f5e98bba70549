"""Last step of a start: the query runs."""

from __future__ import annotations

from holdfast.runtime.check import CheckedProgram
from holdfast.runtime.inputs import Inputs
from holdfast.runtime.prepare import PreparedProgram
from holdfast.runtime.query import Query
from holdfast.runtime.real_time import Modes
from holdfast.runtime.request import StartRequest
from holdfast.runtime.topics import identities
from holdfast.spark.pickled_functions import with_functions


def launch(request: StartRequest, checked: CheckedProgram, prepared: PreparedProgram) -> Query:
    """Run the query in the app's mode, and remember what it reads."""
    app, settings, directory = request.app, request.settings, request.home.directory
    runnable = with_functions(
        checked.run_plan.json(), app.topology.nodes, checked.types, app.file, settings, checked.java_session
    )
    modes = Modes(settings, directory, checked.plan, request.topics, checked.java_session, runnable, prepared.options)
    is_live = settings.mode == "real-time"
    query: Query = modes.catching_up(prepared.repeated) if is_live else modes.ordinary(checked.frames)
    Inputs(directory).record(identities(request.topics, checked.plan))
    return query
