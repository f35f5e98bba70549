"""Runs a query: finds what it reads, reads that at one epoch, and has DuckDB answer it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from holdfast.server.responses import Refusal
from holdfast.server.rights import EVERYTHING, Rights
from holdfast.server.sql import statement as statements
from holdfast.server.sql.deadline import Deadline
from holdfast.server.sql.duckdb_errors import EXPLAINED, refusal
from holdfast.server.sql.key_reads import key_read
from holdfast.server.sql.limits import USUAL, SqlLimits
from holdfast.server.sql.statement import Parameters, Statement
from holdfast.server.sql.store_tables import StoreReader, empty_table
from holdfast.server.sql.table_cache import TableCache
from holdfast.stores.backend import Stores
from holdfast.stores.catalog import Catalog, Store, UnknownStore
from holdfast.stores.epoch_position import EpochPosition, shown_epoch
from holdfast.stores.snapshot import Snapshot

Check = Callable[[Snapshot], None]
_THREADS = 4
_BATCH = 8192
# Nothing outside of the database can be read or loaded, and nothing of this can be changed any more.
_CLOSED = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "temp_directory": "",
}


@dataclass(frozen=True)
class SqlQuery:
    """What is asked."""

    text: str
    parameters: Parameters = ()
    limit: int | None = None
    rights: Rights = EVERYTHING


@dataclass(frozen=True)
class SqlResult:
    """The rows of an answer, the types that DuckDB gives their columns, and the epoch they are from."""

    table: pa.Table
    types: Sequence[str]
    position: EpochPosition | None
    is_truncated: bool

    @property
    def epoch(self) -> int | None:
        """The epoch; None between two."""
        return shown_epoch(self.position)


class SqlEngine:
    """An empty database of DuckDB, in which each query sees the stores that it names."""

    def __init__(self, stores: Stores, limits: SqlLimits = USUAL) -> None:
        self.limits = limits
        self._stores = stores
        self._cache = TableCache(limits.cache)
        self._opening = threading.Lock()
        self._database: duckdb.DuckDBPyConnection | None = None

    def run(self, query: SqlQuery, check: Check = lambda snapshot: None) -> SqlResult:
        """Answer a query, in the thread that calls; `check` may refuse the snapshot that it reads."""
        statements.check_text(query.text, self.limits.query, self.limits.nesting)
        deadline = Deadline(self.limits.seconds)
        with self._connect() as connection, deadline.interrupting(connection.interrupt):
            try:
                return self._answer(connection, query, deadline, check)
            except duckdb.InterruptException:
                raise deadline.refusal() from None
            except duckdb.Error as error:
                raise refusal(error, self.limits) from None

    def reads(self, query: SqlQuery) -> list[str]:
        """The stores that a query names; a query that cannot be one is refused."""
        statements.check_text(query.text, self.limits.query, self.limits.nesting)
        with self._connect() as connection:
            named = statements.parse(connection, query.text, self.limits.places).tables
        catalog = query.rights.visible(self._stores.catalog, in_full=True)
        return sorted({_store(catalog, each.name, query.rights).name for each in named})

    def _connect(self) -> duckdb.DuckDBPyConnection:
        with self._opening:
            if self._database is None:
                threads = max(1, min(_THREADS, os.cpu_count() or 1))
                sizes = {"memory_limit": f"{self.limits.memory >> 20}MiB", "threads": str(threads)}
                database = duckdb.connect(":memory:", config={**_CLOSED, **sizes})
                database.execute("SET GLOBAL TimeZone = 'UTC'")
                database.execute("SET GLOBAL lock_configuration = true")
                self._database = database
            return self._database.cursor()

    def _answer(
        self, connection: duckdb.DuckDBPyConnection, query: SqlQuery, deadline: Deadline, check: Check
    ) -> SqlResult:
        statement = statements.parse(connection, query.text, self.limits.places)
        snapshot = self._stores.replica.snapshot()
        try:
            check(snapshot)
            position = snapshot.position
            for name, table in self._tables(snapshot, statement, query, deadline).items():
                connection.register(name, table)
        finally:
            snapshot.close()
        return self._fetch(connection, query, deadline, position)

    def _tables(
        self, snapshot: Snapshot, statement: Statement, query: SqlQuery, deadline: Deadline
    ) -> dict[str, pa.Table]:
        """The tables that a statement names, each read as far as is wanted."""
        catalog = self._stores.catalog
        if catalog.topology is None:
            why = "; ".join(self._stores.follower.status(snapshot).reasons)
            raise Refusal(503, "not_ready", why, "ask GET /ready until there is something to read")
        catalog = query.rights.visible(catalog, in_full=True)
        reader = StoreReader(snapshot, self._cache, deadline, self.limits.read)
        found: dict[str, pa.Table] = {}
        if statement.lists_tables:
            found = {name: empty_table(store) for name, store in catalog.stores.items()}
        named = [(_store(catalog, each.name, query.rights), each) for each in statement.tables]
        _refuse_same_names({store.name for store, _ in named})
        for store, _ in named:
            places = [each for other, each in named if other is store and each.is_read]
            if not places:
                found[store.name] = empty_table(store)
            elif store.name not in found:
                one = places[0] if len(places) == 1 else statements.TableReference(store.name)
                found[store.name] = reader.read(store.at(snapshot), key_read(store, one, query.parameters))
        return found

    def _fetch(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: SqlQuery,
        deadline: Deadline,
        position: EpochPosition | None,
    ) -> SqlResult:
        """As many rows as may be answered; the rest is not computed."""
        most = self.limits.usual_rows if query.limit is None else query.limit
        relation = _bound(connection, query)
        types = [str(each) for each in relation.types]
        batches: list[pa.RecordBatch] = []
        rows = size = 0
        reader = relation.to_arrow_reader(_BATCH)
        for batch in reader:
            deadline.check()
            rows, size = rows + batch.num_rows, size + batch.nbytes
            batches.append(batch)
            if size > self.limits.answer:
                hint = "ask for fewer columns or rows, or aggregate them"
                raise Refusal(413, "too_large", f"an answer may have {self.limits.answer >> 20:,} MB", hint)
            if rows > most:
                break
        table = pa.Table.from_batches(batches, reader.schema)
        return SqlResult(_with_integers(table, types).slice(0, most), types, position, rows > most)


def _bound(connection: duckdb.DuckDBPyConnection, query: SqlQuery) -> duckdb.DuckDBPyRelation:
    """The rows of a query, which are computed as they are read."""
    try:
        return connection.sql(query.text, params=query.parameters or None)
    except duckdb.BinderException:
        connection.execute(EXPLAINED + query.text, query.parameters or None)  # fails as well, and says where
        raise


def _store(catalog: Catalog, name: str, rights: Rights) -> Store:
    """The store of a name; SQL does not know upper and lower case, unless two stores differ in nothing else."""
    if name in catalog.stores:
        return catalog.stores[name]
    alike = [store for each, store in catalog.stores.items() if each.lower() == name.lower()]
    if len(alike) != 1:
        rights.require_store(name, in_full=True)
        raise UnknownStore(name, sorted(catalog.stores))
    return alike[0]


def _refuse_same_names(names: set[str]) -> None:
    if len({name.lower() for name in names}) < len(names):
        hint = "ask one query for each of them"
        raise Refusal(400, "bad_sql", f"{' and '.join(sorted(names))} are one name in SQL", hint)


def _with_integers(table: pa.Table, types: Sequence[str]) -> pa.Table:
    """Sums of whole numbers, which DuckDB has in 128 bits, as whole numbers of 64 where all of them fit."""
    for index, (name, of) in enumerate(zip(table.column_names, types, strict=True)):
        if of == "HUGEINT":
            try:
                table = table.set_column(index, name, table.column(index).cast(pa.int64()))
            except pa.ArrowInvalid:
                continue
    return table
