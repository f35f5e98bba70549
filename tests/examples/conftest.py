"""Examples on Spark and Kafka use what the tests of Spark use."""

from tests.spark.conftest import drain, run, stores  # noqa: F401  (fixtures)
