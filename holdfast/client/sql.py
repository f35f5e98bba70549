"""The question that is asked in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.client.requests import Question, Request
from holdfast.client.sql_result import SqlResult
from holdfast.stores import values

PATH = "/sql"
_ARROW = "application/vnd.apache.arrow.stream"
_EPOCH, _TRUNCATED = "Holdfast-Epoch", "Holdfast-Truncated"


def body(text: str, parameters: Sequence[object] | Mapping[str, object], limit: int | None) -> bytes:
    """What is sent."""
    fields: dict[str, object] = {"query": text}
    if parameters:
        fields["parameters"] = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
    if limit is not None:
        fields["limit"] = limit
    return values.dumps(fields)


def query(text: str, parameters: Sequence[object] | Mapping[str, object], limit: int | None) -> Question[SqlResult]:
    """The rows of a query."""
    reply = yield Request(PATH, body=body(text, parameters, limit), accept=_ARROW)
    import pyarrow.ipc as ipc  # takes long to import, and few ask in SQL

    table = ipc.open_stream(reply.body).read_all()
    epoch = reply.headers.get(_EPOCH)
    return SqlResult(table, None if epoch is None else int(epoch), _TRUNCATED in reply.headers)
