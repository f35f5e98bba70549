"""`python -m bench.sql`: GROUP BY over a store, cold and warm, beside DuckDB over the same rows in Parquet."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from holdfast.server.sql.engine import SqlEngine, SqlQuery
from holdfast.stores.catalog import Catalog, Store
from holdfast.stores.replica import Put, Replica
from holdfast.stores.snapshot import Progress
from holdfast.types import LONG, STRING, Struct

SCORE = Struct(player=LONG, game=STRING, score=LONG)
QUERY = "SELECT game, count(*) AS n, sum(score) AS total, max(score) AS best FROM {} GROUP BY game ORDER BY game"
POINT = "SELECT score FROM scores WHERE key = 4711"
_BATCH = 50_000


def main() -> None:
    """Build a replica and a Parquet file of the same rows, and ask both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="holdfast-sql-") as folder:
        store = Store("scores", "key-value", LONG, SCORE, "changelog")
        replica = built(store, Path(folder) / "replica", options.rows)
        file = Path(folder) / "scores.parquet"
        write(file, options.rows)
        parquet, query = duckdb.connect(), QUERY.format(f"'{file}'")
        of_parquet, expected = timed(lambda: parquet.sql(query).to_arrow_table().to_pylist(), options.runs)
        cold, found = timed(lambda: ask(fresh(replica, store), QUERY.format("scores")), options.runs)
        engine = fresh(replica, store)
        ask(engine, QUERY.format("scores"))
        warm, again = timed(lambda: ask(engine, QUERY.format("scores")), options.runs)
        other = fresh(replica, store)
        ask(other, "SELECT 1")  # opens DuckDB
        point, _ = timed(lambda: ask(other, POINT), options.runs)
        assert len(expected) == 100
        assert found == again == [{**row, "total": int(row["total"])} for row in expected]
        replica.close()
    for name, seconds in (("Parquet", of_parquet), ("cold", cold), ("warm", warm), ("point", point)):
        print(f"{name:8} {seconds * 1000:9.1f} ms  {seconds / of_parquet:6.2f} × Parquet")


def built(store: Store, directory: Path, rows: int) -> Replica:
    """A replica with a store of many rows."""
    replica = Replica(directory)
    progress = Progress(store.changelog, "id", store.key, store.value)
    replica.rebuild(store.name, progress)
    puts = entries(store, rows)
    while batch := list(islice(puts, _BATCH)):
        replica.apply(batch, {store.name: progress.advanced({0: rows}, 1)}, {})
    replica.apply([], {store.name: progress.advanced({0: rows}, 1)}, {"epoch": b"1"})
    return replica


def entries(store: Store, rows: int) -> Iterator[Put]:
    """Scores of players in games."""
    for n in range(rows):
        value = b'{"player":%d,"game":"game-%d","score":%d}' % (n % 9973, n % 100, n * 7919 % 100_003)
        yield Put(store.name, store.keys.encode(n), value)


def fresh(replica: Replica, store: Store) -> SqlEngine:
    """An engine that has read nothing yet."""
    found = SimpleNamespace(replica=replica, catalog=Catalog("bench", {}, {store.name: store}))
    return SqlEngine(found)  # type: ignore[arg-type]


def write(file: Path, rows: int) -> None:
    """The rows of the store as Parquet."""
    table = pa.table(
        {
            "key": range(rows),
            "player": [n % 9973 for n in range(rows)],
            "game": [f"game-{n % 100}" for n in range(rows)],
            "score": [n * 7919 % 100_003 for n in range(rows)],
        }
    )
    pq.write_table(table, file)


def ask(engine: SqlEngine, query: str) -> list[dict[str, object]]:
    """The rows of a query."""
    rows: list[dict[str, object]] = engine.run(SqlQuery(query)).table.to_pylist()
    return rows


def timed(work: Callable[[], list[dict[str, object]]], runs: int) -> tuple[float, list[dict[str, object]]]:
    """The median of some runs, and what the last of them gave."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds), found


if __name__ == "__main__":
    main()
