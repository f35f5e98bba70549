"""The limits of SQL queries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SqlLimits:
    """Sizes are in bytes and times in seconds; those of a query that goes beyond one are said in its refusal.

    `memory` is DuckDB's for all queries at once, `read` is what a query may read of stores, as columns, and `cache`
    what is kept of stores that were read.
    """

    query: int = 64 << 10
    nesting: int = 100
    places: int = 40
    parameters: int = 1000
    seconds: float = 20
    wait: float = 5
    queries: int = 2
    waiting: int = 20
    memory: int = 512 << 20
    read: int = 1 << 30
    cache: int = 512 << 20
    rows: int = 100_000
    usual_rows: int = 10_000
    answer: int = 64 << 20
    subscriptions: int = 20


USUAL = SqlLimits()
