"""`holdfast sql`: a query, or a shell that asks for one after the other."""

import io

import pyarrow as pa
import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli
from holdfast.cli.sql_shell import Completer, Shell, is_complete
from holdfast.client import Client, RequestError, SqlResult

TABLE = pa.table(
    {
        "user": ["ann", "b\x1b[2J"],
        "n": [1, None],
        "price": pa.array(["1.50", "2.00"]).cast(pa.decimal128(10, 2)),
        "at": pa.array([0, 1], pa.timestamp("us", tz="UTC")),
        "tags": [["x"], []],
    }
)


class Answering:
    """A client that answers from memory."""

    def __init__(self):
        self.asked = []

    def sql(self, query, parameters=(), *, limit=None):
        self.asked.append(query)
        if query == "SHOW TABLES":
            return SqlResult(pa.table({"name": ["orders", "per-user"]}), 7, False)
        if query.startswith("DESCRIBE"):
            return SqlResult(pa.table({"column_name": ["key", "of day"]}), 7, False)
        if "wrong" in query:
            raise RequestError("syntax error\nline 1: wrong\n        ^")
        return SqlResult(TABLE, 7, limit == 2)


@pytest.fixture
def client(monkeypatch):
    answering = Answering()
    monkeypatch.setattr(Client, "sql", lambda self, *given, **named: answering.sql(*given, **named))
    return answering


def run(*arguments, typed=None, width="80"):
    return CliRunner().invoke(cli, ["sql", *arguments], input=typed, env={"COLUMNS": width})


def test_a_table(client):
    lines = run("SELECT 1").output.splitlines()
    assert lines[0].split() == ["user", "n", "price", "at", "tags"]
    assert lines[1].split() == ["ann", "1", "1.50", "1970-01-01T00:00:00Z", '["x"]']
    assert lines[2].split() == ["b\\x1b[2J", "2.00", "1970-01-01T00:00:00.000001Z", "[]"]


def test_a_narrow_terminal(client):
    assert max(map(len, run("SELECT 1", width="40").output.splitlines())) <= 40


def test_json_and_csv(client):
    assert run("SELECT 1", "--json").output == (
        '[{"user":"ann","n":1,"price":1.50,"at":"1970-01-01T00:00:00Z","tags":["x"]},'
        '{"user":"b\\u001b[2J","n":null,"price":2.00,"at":"1970-01-01T00:00:00.000001Z","tags":[]}]\n'
    )
    assert run("SELECT 1", "--csv").output.splitlines()[:2] == [
        "user,n,price,at,tags",
        'ann,1,1.50,1970-01-01T00:00:00Z,"[""x""]"',
    ]


def test_more_rows_than_the_limit(client):
    done = run("SELECT 1", "--limit", "2")
    assert "there are more: raise --limit, or aggregate" in done.stderr


def test_an_error_shows_the_place(client):
    done = run("wrong")
    assert (done.exit_code, done.stderr) == (1, "Error: syntax error\nline 1: wrong\n        ^\n")


def test_queries_from_a_file(client):
    done = run("--csv", typed="SELECT 1;\n\nSELECT\n  ';'\n;\nSELECT 2")
    assert client.asked == ["SELECT 1;", "SELECT\n  ';'\n;", "SELECT 2"]
    assert (done.exit_code, done.output.count("user,n")) == (0, 3)


def test_what_is_refused_does_not_end_the_shell(client):
    done = run("--csv", typed="wrong;\nSELECT 1;\nexit\nSELECT 3;\n")
    assert client.asked == ["wrong;", "SELECT 1;"]
    assert done.exit_code == 1
    assert "Error: syntax error" in done.stderr


def test_lines_of_a_terminal(client, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    prompts, lines = [], iter(["SELECT", "1;", KeyboardInterrupt, "SELECT 2;"])

    def entered(prompt):
        prompts.append(prompt)
        line = next(lines, EOFError)
        if line in (KeyboardInterrupt, EOFError):
            raise line
        return line

    monkeypatch.setattr("builtins.input", entered)
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    answered = []
    Shell(client, answered.append, terminal).run()
    assert answered == ["SELECT\n1;", "SELECT 2;"]
    assert prompts == ["sql> ", "...> ", "sql> ", "sql> ", "sql> "]
    assert (tmp_path / "holdfast/sql-history").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("text", "complete"),
    [("SELECT 1", False), ("SELECT 1;", True), ("SELECT ';", False), ("SELECT 1 -- ;", False), ('SELECT "a;', False),
     ("SELECT 1; -- it's", True), ("/* ; */", False), ("/* ;", False), ("SELECT 'it''s;';\n", True)],
)  # fmt: skip
def test_where_a_query_ends(text, complete):
    assert is_complete(text) == complete


def test_completion():
    completer = Completer(Answering())
    assert completer.words("or", "or") == ["orders", "ORDER", "OR"]
    assert completer.words("", "SELECT ")[:2] == ["orders", '"per-user"']
    assert completer.words("ke", "SELECT ke FROM orders") == ["key"]
    assert completer.words('"', 'SELECT * FROM "per-user" WHERE "') == ['"of day"', '"per-user"']
