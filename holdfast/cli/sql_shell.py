"""A shell for SQL: lines up to a semicolon are a query; the standard library's readline edits and completes them."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from holdfast.cli.output import readable
from holdfast.errors import HoldfastError
from holdfast.private_files import make_directory
from holdfast.spark.jars import cache_dir

if TYPE_CHECKING:
    from holdfast.client import Client

_PROMPT, _GOES_ON = "sql> ", "...> "
# fmt: off
_KEYWORDS = (
    "SELECT", "FROM", "WHERE", "GROUP", "BY", "ORDER", "LIMIT", "HAVING", "JOIN", "LEFT", "USING", "ON", "AS", "WITH",
    "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "NULL", "LIKE", "DISTINCT", "CASE", "WHEN", "THEN", "ELSE", "END",
    "UNION", "ALL", "DESC", "ASC", "DESCRIBE", "SUMMARIZE", "SHOW", "TABLES", "count", "sum", "avg", "min", "max",
)
# fmt: on
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_OPEN = re.compile(r"['\"]|/\*")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_HISTORY = 1000


def is_complete(text: str) -> bool:
    """Whether a query has its semicolon: one that stands neither in quotes nor in a comment.

    >>> is_complete("SELECT ';'"), is_complete("SELECT 1; -- done")
    (False, True)
    """
    bare = _QUOTED.sub(" ", text)
    return bare.rstrip().endswith(";") and not _OPEN.search(bare)


class Completer:
    """Completes keywords, stores, and columns of the stores that a query names."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._tables: list[str] | None = None
        self._columns: dict[str, list[str]] = {}
        self.before = ""  # lines of the query that were entered already

    def __call__(self, word: str, state: int) -> str | None:
        """What readline asks for: one possible word after the other."""
        import readline

        try:
            found = self.words(word, self.before + readline.get_line_buffer())
        except HoldfastError:
            return None
        return found[state] if state < len(found) else None

    def words(self, begun: str, text: str) -> list[str]:
        """The words that begin so, in a query that has this text."""
        tables = self.tables()
        named = [table for table in tables if re.search(rf"(?<![\w.-]){re.escape(table)}(?![\w.-])", text)]
        columns = [column for table in named for column in self.columns(table)]
        candidates = [*columns, *(_written(table) for table in tables), *_KEYWORDS]
        return list(dict.fromkeys(each for each in candidates if each.lower().startswith(begun.lower())))

    def tables(self) -> list[str]:
        """The stores of the server."""
        if self._tables is None:
            self._tables = [row["name"] for row in self._client.sql("SHOW TABLES").rows]
        return self._tables

    def columns(self, table: str) -> list[str]:
        """The columns of a store."""
        if table not in self._columns:
            described = self._client.sql(f"DESCRIBE {_written(table)}").rows
            self._columns[table] = [_written(row["column_name"]) for row in described]
        return self._columns[table]


class Shell:
    """Reads queries and shows their answers, until the input ends."""

    def __init__(self, client: Client, answer: Callable[[str], None], input_stream: TextIO | None = None) -> None:
        self._answer = answer
        self._input = input_stream or sys.stdin
        self._completer = Completer(client)

    def run(self) -> None:
        """Answer one query after the other; what is refused is said, and the shell goes on."""
        failed = False
        is_terminal = self._input.isatty()
        history = _start_readline(self._completer) if is_terminal else None
        for query in self._queries(is_terminal):
            try:
                self._answer(query)
            except HoldfastError as error:
                failed = True
                click.echo(f"Error: {readable(str(error), lines=True)}", err=True)
        if history is not None:
            _save_history(history)
        if failed and not is_terminal:
            raise SystemExit(1)

    def _queries(self, is_terminal: bool) -> Iterator[str]:
        lines: list[str] = []
        while True:
            self._completer.before = "".join(f"{line}\n" for line in lines)
            try:
                line = self._line(_GOES_ON if lines else _PROMPT, is_terminal)
            except KeyboardInterrupt:
                click.echo()
                lines = []
                continue
            if line is None or (not lines and line.strip().rstrip(";") in ("exit", "quit", "\\q")):
                break
            lines.append(line)
            text = "\n".join(lines)
            if is_complete(text):
                yield text
            if is_complete(text) or not text.strip():
                lines = []
        if lines and not is_terminal:
            yield "\n".join(lines)  # the end of a file ends its last query

    def _line(self, prompt: str, is_terminal: bool) -> str | None:
        if not is_terminal:
            return line.rstrip("\n") if (line := self._input.readline()) else None
        try:
            return input(prompt)
        except EOFError:
            click.echo()
            return None


def _written(name: str) -> str:
    """A name as it stands in a query."""
    return name if _IDENTIFIER.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _start_readline(completer: Completer) -> Path | None:
    """Editing, completion and history, where Python has them; gives the file of the history."""
    try:
        import readline
    except ImportError:
        return None
    path = cache_dir() / "sql-history"
    readline.set_completer(completer)
    readline.set_completer_delims(" \t\n,()=<>+*/;")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(OSError):  # there is none yet
        readline.read_history_file(path)
    readline.set_history_length(_HISTORY)
    return path


def _save_history(path: Path) -> None:
    """Keep what was entered for the next time, for this user alone."""
    import readline

    try:
        make_directory(path.parent)
        path.touch(mode=0o600)
        readline.write_history_file(path)
    except OSError as error:
        click.echo(f"the history was not written: {error}", err=True)
