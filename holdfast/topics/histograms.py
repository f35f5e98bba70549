"""Histograms of seconds as JSON, which the measuring process sends to the server process."""

from __future__ import annotations

from itertools import pairwise

from prometheus_client import Histogram

from holdfast.documents import Json

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


def plain(histogram: Histogram) -> dict[str, Json]:
    """Bounds, the number of values in each bucket and one more for the rest, and their sum.

    >>> taken = Histogram("taken_seconds", "", buckets=(1.0, 5.0), registry=None)
    >>> taken.observe(0.5), taken.observe(7.0)
    (None, None)
    >>> plain(taken)
    {'bounds': [1.0, 5.0], 'counts': [1, 0, 1], 'sum': 7.5}
    """
    samples = [sample for metric in histogram.collect() for sample in metric.samples]
    below = {float(each.labels["le"]): int(each.value) for each in samples if each.name.endswith("_bucket")}
    total = next(each.value for each in samples if each.name.endswith("_sum"))
    counts = [after - before for before, after in pairwise([0, *below.values()])]
    return {"bounds": list(below)[:-1], "counts": counts, "sum": total}
