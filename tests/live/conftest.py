"""A session of its own: real-time mode runs all stages at the same time and needs more slots than others have."""

from tests.spark.conftest import run, suffix  # noqa: F401  (fixtures)
