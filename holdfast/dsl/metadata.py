"""What is known about a record besides key and value."""

from __future__ import annotations

from holdfast.dsl.columns import Expression


def _metadata(name: str) -> Expression:
    return Expression({"meta": name})


def timestamp() -> Expression:
    """The record's time, as a timestamp.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> stamped = app.stream("orders", "id BIGINT").map_values(lambda o: dict(o, at=hf.timestamp()))
    """
    return _metadata("timestamp")


def topic() -> Expression:
    """The topic that the record was read from.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> orders = app.stream(["web", "phone"], "id BIGINT").map_values(lambda o: dict(o, via=hf.topic()))
    """
    return _metadata("topic")


def partition() -> Expression:
    """The partition that the record was read from.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> first = app.stream("orders", "id BIGINT").filter(lambda o: hf.partition() == 0)
    """
    return _metadata("partition")


def offset() -> Expression:
    """The record's offset in its partition.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> numbered = app.stream("orders", "id BIGINT").map_values(lambda o: dict(o, offset=hf.offset()))
    """
    return _metadata("offset")


def headers() -> Expression:
    """The record's headers: a map of names to bytes.

    >>> import holdfast as hf
    >>> app = hf.App("shop")
    >>> traced = app.stream("orders", "id BIGINT").map_values(lambda o: dict(o, trace=hf.headers()["trace"]))
    """
    return _metadata("headers")
