"""A store as a DataFrame of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.client.sync_client import Client
from holdfast.spark.dataframes import table_frame

if TYPE_CHECKING:
    from holdfast.spark.dataframes import DataFrame
    from holdfast.spark.session import SparkSession


def read_store(spark: SparkSession, client: Client, store: str) -> DataFrame:
    """A store as a DataFrame with the columns key and value, in the store's own types, as of one epoch.

    >>> def clicks(spark, url):
    ...     with hf.connect(url) as client:
    ...         return hf.read_store(spark, client, "per-user")
    """
    handle = client.store(store)
    return table_frame(spark, handle.to_arrow(), *handle.types)
