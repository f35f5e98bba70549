"""One SELECT, as DuckDB's parser sees it: what it reads, and that it reads nothing but stores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import orjson

from holdfast.server.responses import Refusal

# A node of DuckDB's syntax tree: its serialized form has no types of its own.
Node = Mapping[str, Any]
Parameters = Sequence[object] | Mapping[str, object]

ONE_SELECT = "send one SELECT; WITH, VALUES, DESCRIBE, SUMMARIZE and SHOW TABLES are welcome, too"
_BRACKETS = re.compile(r"[][(){}]")
_TABLE_FUNCTIONS = frozenset(["range", "generate_series", "unnest", "json_each", "json_tree"])
_TABLE_REFERENCES = frozenset(
    ["BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST", "EMPTY", "EMPTY_FROM", "PIVOT", "SHOW_REF"]
)
_FUNCTIONS_REFUSED = re.compile(
    r"__internal.*|current_setting|getvariable|getenv|nextval|currval|setval|setseed|sleep_ms|write_log"
    r"|current_query.*|current_connection_id|current_transaction_id|txid_current|variant_bytes_to_variant"
    r"|json_execute_serialized_sql|in_search_path",
    re.IGNORECASE,
)
# DuckDB's limit of memory does not hold for a single value, and these make long ones of short ones.
_GROWING = frozenset(
    [
        "repeat",
        "lpad",
        "rpad",
        "range",
        "generate_series",
        "list_resize",
        "array_resize",
        "bitstring",
        "format",
        "printf",
    ]
)
_RECURSIVE = frozenset(["RECURSIVE_CTE_NODE", "CTE_NODE"])


@dataclass(frozen=True)
class TableReference:
    """A place where a statement reads a table; `select` is its SELECT if that reads nothing else."""

    name: str
    alias: str = ""
    select: Node | None = None
    is_read: bool = True  # whether its rows matter, and not only its columns


@dataclass
class Statement:
    """What a statement reads."""

    tables: list[TableReference] = field(default_factory=list)
    lists_tables: bool = False
    places: int = 0  # where rows come from: stores, names of WITH, functions, queries in brackets


def check_text(query: str, longest: int, deepest: int) -> None:
    """Refuse what would keep the parser busy; it tries brackets in many ways."""
    if not query.strip():
        raise Refusal(400, "bad_sql", "the query is empty", ONE_SELECT)
    if len(query.encode(errors="replace")) > longest:
        raise Refusal(400, "bad_sql", f"a query may have {longest:,} bytes", "hand values over as parameters")
    depth = 0
    for bracket in _BRACKETS.findall(query):
        depth += 1 if bracket in "([{" else -1
        if depth > deepest:
            hint = "name what is inside with WITH, and hand nested values over as parameters"
            raise Refusal(400, "bad_sql", f"brackets may stand in each other {deepest} times", hint)


def parse(connection: duckdb.DuckDBPyConnection, query: str, most_places: int = 40) -> Statement:
    """What one SELECT reads; anything else is refused.

    So is one that joins very much: DuckDB cannot be interrupted while it looks for the best order.
    """
    found = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
    try:
        document: Node = orjson.loads(found[0][0])
        if document["error"]:
            raise _not_a_select(document, query)
        statements = document["statements"]
        if len(statements) != 1:
            raise Refusal(400, "not_a_select", f"there are {len(statements)} statements", ONE_SELECT)
        statement = Statement()
        _walk(statements[0]["node"], frozenset(), statement)
    except (RecursionError, orjson.JSONDecodeError):
        raise Refusal(400, "bad_sql", "the query is nested too deeply", "name its parts with WITH") from None
    if statement.places > most_places:
        hint = "ask several queries"
        raise Refusal(400, "bad_sql", f"a query may read from {most_places} places; this has {statement.places}", hint)
    return statement


def _not_a_select(document: Node, query: str) -> Refusal:
    if document.get("error_type") == "not implemented":
        return Refusal(400, "not_a_select", "this is no SELECT, and nothing else is run here", ONE_SELECT)
    message, position = str(document.get("error_message", "the query cannot be read")), document.get("position")
    return Refusal(400, "bad_sql", message, place(query, int(position)) if position is not None else ONE_SELECT)


def place(query: str, position: int) -> str:
    """The line of a query that has a place, given in bytes, and a mark below it."""
    before = query.encode()[:position].decode(errors="replace")
    number, column = before.count("\n"), len(before) - (before.rfind("\n") + 1)
    line = query.split("\n")[number]
    start = max(0, column - 60)
    return f"line {number + 1}: {line[start : column + 60]}\n{' ' * (len(f'line {number + 1}: ') + column - start)}^"


def _walk(node: object, names: frozenset[str], statement: Statement) -> None:
    """Collect the tables under a node; `names` are those of WITH that can be seen there."""
    if isinstance(node, list):
        for each in node:
            _walk(each, names, statement)
    elif isinstance(node, dict):
        _visit(node, names, statement)


def _visit(node: Node, names: frozenset[str], statement: Statement) -> None:
    kind = node.get("type")
    if node.get("class") == "FUNCTION":
        _check_function(str(node["function_name"]))
    if kind == "SHOW_REF" and node["show_type"] == "DESCRIBE" and node.get("query") is not None:
        described = Statement()
        _walk(node["query"], names, described)
        statement.tables += [replace(each, is_read=False) for each in described.tables]
        return
    if "sample" in node and "alias" in node and "class" not in node:
        _visit_table(node, names, statement)
    if kind in _RECURSIVE:
        names |= {str(node["cte_name"]).lower()}
    for entry in (node.get("cte_map") or {}).get("map", ()):
        if entry["value"].get("materialized") == "CTE_MATERIALIZE_NEVER":
            raise Refusal(400, "not_allowed", "NOT MATERIALIZED cannot be used here", "leave it out")
        _walk(entry["value"], names, statement)  # it sees those before it, and itself only where it is recursive
        names |= {str(entry["key"]).lower()}
    for name, child in node.items():
        if name == "function" and kind == "TABLE_FUNCTION":
            _walk(list(child.values()), names, statement)  # its name has been looked at, its arguments not yet
        elif name == "from_table" and _is_table(child):
            _add(child, names, statement, node)
        elif name != "cte_map":
            _walk(child, names, statement)


def _visit_table(node: Node, names: frozenset[str], statement: Statement) -> None:
    statement.places += node["type"] != "JOIN"
    match node["type"]:
        case "BASE_TABLE":
            _add(node, names, statement, None)
        case "TABLE_FUNCTION":
            _check_table_function(node["function"])
        case "SHOW_REF":
            _show(node, names, statement)
        case kind if kind not in _TABLE_REFERENCES:
            raise Refusal(400, "not_allowed", f"{kind} cannot be read here", "read stores; SHOW TABLES lists them")


def _is_table(node: object) -> bool:
    return isinstance(node, dict) and node.get("type") == "BASE_TABLE"


def _add(node: Node, names: frozenset[str], statement: Statement, select: Node | None) -> None:
    statement.places += select is not None
    name = str(node["table_name"])
    if node["catalog_name"] or node["schema_name"] or len(node["qualified_name"]["path"]) > 1 or node["at_clause"]:
        hint = f'a store has nothing before its name; quote names that are no identifiers, such as "{name}"'
        raise Refusal(400, "not_allowed", f"{'.'.join(node['qualified_name']['path'])} is no store", hint)
    if name.lower() in names:
        return
    plain = select is not None and not node["sample"] and not node["column_name_alias"]
    statement.tables.append(TableReference(name, str(node["alias"]), select if plain else None))


def _check_function(name: str) -> None:
    if _FUNCTIONS_REFUSED.fullmatch(name):
        hint = "functions that compute something from their arguments are there; see DuckDB's documentation"
        raise Refusal(400, "not_allowed", f"the function {name} is not to be used here", hint)
    if name.lower() in _GROWING:
        hint = "range and generate_series can be used as tables: FROM range(10)"
        raise Refusal(400, "not_allowed", f"the function {name} makes values of any size, and is not to be used", hint)


def _check_table_function(function: Node) -> None:
    name = str(function.get("function_name", function.get("type")))
    if name.lower() not in _TABLE_FUNCTIONS:
        allowed = ", ".join(sorted(_TABLE_FUNCTIONS))
        hint = f"read stores; of functions that give tables there are {allowed}"
        raise Refusal(400, "not_allowed", f"the table function {name} is not to be used here", hint)


def _show(node: Node, names: frozenset[str], statement: Statement) -> None:
    if node.get("query") is not None:
        return
    name = str(node["table_name"])
    if node["show_type"] == "SHOW_SPECIAL":
        if name.strip('"') != "tables":
            raise Refusal(400, "not_allowed", "that cannot be shown here", "SHOW TABLES lists the stores")
        statement.lists_tables = True
    elif name.lower() not in names:
        statement.tables.append(TableReference(name, is_read=False))
