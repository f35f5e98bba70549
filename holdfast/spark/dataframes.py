"""DataFrames that a user's function makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.errors import TopologyError


def made(function: Callable[[Any], Any], spark: object, node: Mapping[str, Any]) -> Any:
    """Call the user's function and see that a streaming DataFrame came."""
    frame = function(spark)
    if not getattr(frame, "isStreaming", False):
        came = "a DataFrame that is not streaming" if hasattr(frame, "schema") else type(frame).__name__
        raise TopologyError(
            f"source wants a streaming DataFrame from its function, {came} came; begin with spark.readStream",
            at=node.get("at"),
        )
    return frame
