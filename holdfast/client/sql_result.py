"""What a SQL query gave."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class SqlResult:
    """The rows of a query, all of one epoch; `is_truncated` says whether there are more than the limit let through."""

    def __init__(self, table: pyarrow.Table, epoch: int | None, is_truncated: bool) -> None:
        self.epoch = epoch
        self.is_truncated = is_truncated
        self._table = table

    @property
    def columns(self) -> list[str]:
        """The names of the columns.

        >>> with hf.connect(url) as client:
        ...     client.sql("SELECT * FROM numbers LIMIT 0").columns
        ['key', 'value']
        """
        names: list[str] = self._table.column_names
        return names

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Each row as a dict; of columns with the same name only the last is in it.

        >>> with hf.connect(url) as client:
        ...     client.sql("SELECT * FROM numbers WHERE key BETWEEN 1 AND 2 ORDER BY key").rows
        [{'key': 1, 'value': 10}, {'key': 2, 'value': 20}]
        """
        columns = [column.to_pylist(maps_as_pydicts="lossy") for column in self._table.columns]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a `pyarrow.Table`, in the types of SQL.

        >>> with hf.connect(url) as client:
        ...     client.sql("SELECT sum(value) AS total FROM numbers").to_arrow().schema
        total: int64
        """
        return self._table

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a `pandas.DataFrame`; pandas must be installed.

        >>> with hf.connect(url) as client:
        ...     len(client.sql("SELECT * FROM numbers").to_pandas())
        2500
        """
        frame: pandas.DataFrame = self._table.to_pandas(maps_as_pydicts="lossy")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The rows as a `polars.DataFrame`; polars must be installed.

        >>> with hf.connect(url) as client:
        ...     client.sql("SELECT max(value) AS most FROM numbers").to_polars().item()
        12490
        """
        import polars

        return polars.DataFrame(self._table)

    def __len__(self) -> int:
        count: int = self._table.num_rows
        return count

    def __repr__(self) -> str:
        return f"<SqlResult {len(self)} rows of {', '.join(self.columns)} at epoch {self.epoch}>"
