"""Streaming DataFrames made by a user's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from holdfast.documents import Document
from holdfast.errors import TopologyError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame


def streaming_frame(function: Callable[[SparkSession], object], spark: SparkSession, node: Document) -> DataFrame:
    """Call the user's function and see that a streaming DataFrame came."""
    frame = function(spark)
    if not getattr(frame, "isStreaming", False):
        came = "a DataFrame that is not streaming" if hasattr(frame, "schema") else type(frame).__name__
        raise TopologyError(
            f"source wants a streaming DataFrame from its function, {came} came; begin with spark.readStream",
            at=node.get("at"),
        )
    return cast("DataFrame", frame)
