"""Streaming DataFrames made by a user's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from holdfast.documents import Document
from holdfast.errors import TopologyError
from holdfast.types import DataType

__all__ = ["DataFrame", "streaming_frame", "table_frame"]

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame


def table_frame(spark: SparkSession, table: pyarrow.Table, key: DataType, value: DataType) -> DataFrame:
    """A table of a store as a DataFrame with its types."""
    from pyspark.sql.types import StructType

    columns = [{"name": name, "type": of.to_json(), "nullable": True, "metadata": {}} for name, of in
               (("key", key), ("value", value))]  # fmt: skip
    schema = StructType.fromJson({"type": "struct", "fields": columns})
    return cast("DataFrame", spark.createDataFrame(table, schema))


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
