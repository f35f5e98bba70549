"""Write the table of Spark's functions and the stubs for editors, from the source of the installed PySpark.

    python scripts/spark_functions.py            writes holdfast/dsl/spark_functions.py and holdfast/functions.pyi
    python scripts/spark_functions.py --check    fails if they are not what it would write

PySpark is read as text and never imported. spark_sql_names.txt beside this file holds the names that Spark's SQL knows
(SHOW ALL FUNCTIONS, what is built in); a test compares the two.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "holdfast/dsl/spark_functions.py"
STUBS = ROOT / "holdfast/functions.pyi"
SPECIAL = ROOT / "holdfast/dsl/special_functions.py"

# Python's name where SQL has another one.
RENAMED = {
    "create_map": "map",
    "bitwise_not": "~",
    "bitwiseNOT": "~",
    "toDegrees": "degrees",
    "toRadians": "radians",
    "shiftLeft": "shiftleft",
    "shiftRight": "shiftright",
    "shiftRightUnsigned": "shiftrightunsigned",
    "approxCountDistinct": "approx_count_distinct",
}
ALIASES = {"power": "pow", "negate": "negative", "random": "rand"}
MORE_AGGREGATES = {"vector_avg", "vector_sum", "schema_of_variant_agg", "approxCountDistinct"}

WINDOWS = "it needs a window of rows; use windowed_by(...), top(...) or aggregate(...)"
UDF = "it makes a Python function of Spark's; use hf.python(f, returns=...)"
DISTINCT = "DISTINCT has no bounded state; use F.approx_count_distinct(...), or F.size(F.collect_set(...))"
RANDOM = "it is not deterministic, so a rerun would give another result; for the record's time use hf.timestamp()"
GENERATOR = "it makes rows; use flat_map_values(...) or flat_map(...)"
SORT = "it orders rows; use top(n, by=...), or F.sort_array(...) for an array"
SESSION = "it depends on the session and not on the record; write a constant"
FILES = "there are no files here; hf.topic(), hf.partition() and hf.offset() say where a record came from"
PARTITIONING = "it describes partitions of a table on disk; use F.year(...), F.month(...), F.hour(...)"
REFUSED = {
    **dict.fromkeys(("asc", "asc_nulls_first", "asc_nulls_last", "desc", "desc_nulls_first", "desc_nulls_last"), SORT),
    **dict.fromkeys(("sumDistinct", "sum_distinct", "countDistinct", "count_distinct"), DISTINCT),
    **dict.fromkeys(("listagg_distinct", "string_agg_distinct"), DISTINCT),
    **dict.fromkeys(("udf", "udtf", "arrow_udtf", "pandas_udf", "arrow_udf", "call_udf", "unwrap_udt"), UDF),
    **dict.fromkeys(("years", "months", "days", "hours", "bucket"), PARTITIONING),
    **dict.fromkeys(("explode", "explode_outer", "inline", "inline_outer", "posexplode"), GENERATOR),
    **dict.fromkeys(("posexplode_outer", "stack", "json_tuple"), GENERATOR),
    **dict.fromkeys(("rand", "randn", "random", "randstr", "uniform", "uuid", "shuffle"), RANDOM),
    **dict.fromkeys(("current_timestamp", "now", "localtimestamp", "current_date", "curdate", "current_time"), RANDOM),
    **dict.fromkeys(("monotonically_increasing_id", "spark_partition_id"), RANDOM),
    **dict.fromkeys(("reflect", "java_method", "try_reflect"), RANDOM),
    **dict.fromkeys(("current_catalog", "current_database", "current_path", "current_schema"), SESSION),
    **dict.fromkeys(("current_user", "session_user", "user", "current_timezone"), SESSION),
    **dict.fromkeys(("input_file_name", "input_file_block_start", "input_file_block_length"), FILES),
    **dict.fromkeys(("window", "session_window", "window_time"), "use windowed_by(...)"),
    **dict.fromkeys(("grouping", "grouping_id"), "there are no grouping sets; use agg(...) per key"),
    "broadcast": "it is for DataFrames; use app.global_table(...)",
    "product": "SQL has no such function; use reduce(lambda old, new: old * new)",
    "timestamp_add": "SQL has no such function; use x + F.make_dt_interval(...)",
    "timestamp_diff": "SQL has no such function; use F.unix_millis(a) - F.unix_millis(b)",
}

Parameter = tuple[str, ...]


def main(arguments: list[str]) -> int:
    """Write both files, or compare them."""
    written = {TABLE: table(), STUBS: stubs()}
    stale = [path for path, text in written.items() if not path.exists() or path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what {Path(__file__).name} writes", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(written[path])
    return 0


def source() -> tuple[ast.Module, str]:
    """PySpark's functions and its list of public names."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise SystemExit("PySpark is not installed")
    folder = Path(found.origin).parent / "sql/functions"
    return ast.parse((folder / "builtin.py").read_text()), (folder / "__init__.py").read_text()


def definitions() -> dict[str, ast.FunctionDef]:
    """The public functions; of overloads the last, which is the one that runs."""
    module, _ = source()
    found = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    public = {name: each for name, each in found.items() if not name.startswith("_")}
    return {**public, **{alias: public[name] for alias, name in ALIASES.items()}}


def sections() -> dict[str, list[str]]:
    """The public names under the headings of PySpark's own list."""
    heading = ""
    found: dict[str, list[str]] = {}
    for line in source()[1].splitlines():
        title, name = re.match(r"\s+# ([A-Z].*)", line), re.match(r'\s+"(\w+)",', line)
        heading = title[1] if title else heading
        if name:
            found.setdefault(heading, []).append(name[1])
    return found


def special_names() -> list[str]:
    """The functions that are written by hand."""
    module = ast.parse(SPECIAL.read_text())
    return [each.name for each in module.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]


def refused() -> dict[str, str]:
    """Why each refused function is refused."""
    return dict(sorted({**dict.fromkeys(sections()["Window Functions"], WINDOWS), **REFUSED}.items()))


def ordinary() -> dict[str, ast.FunctionDef]:
    """The functions that the table is enough for."""
    without = {*refused(), *special_names()}
    return {name: each for name, each in sorted(definitions().items()) if name not in without}


def parameters(function: ast.FunctionDef) -> list[Parameter]:
    """(name, kind[, default]): c takes a column or a field's name, l a constant, f a lambda, o options, t a type."""
    found: list[Parameter] = []
    arguments = function.args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + list(arguments.defaults)
    fallbacks = literal_fallbacks(function)
    for each, default in zip(arguments.args, defaults, strict=True):
        kind = kind_of(each)
        if default is None:
            found.append((each.arg, kind))
        else:
            shown = fallbacks.get(each.arg, ast.unparse(default))
            found.append((each.arg, kind, shown))
    if arguments.vararg:
        found.append(("*" + arguments.vararg.arg, kind_of(arguments.vararg)))
    return found


def kind_of(argument: ast.arg) -> str:
    """What a plain string means for this parameter."""
    annotation = ast.unparse(argument.annotation) if argument.annotation else ""
    if "Callable" in annotation:
        return "f"
    if "Mapping" in annotation:
        return "o"
    if argument.arg == "schema":
        return "t"
    return "c" if "ColumnOrName" in annotation else "l"


def literal_fallbacks(function: ast.FunctionDef) -> dict[str, str]:
    """`lit(0) if days is None else days`: what PySpark puts in for None."""
    found = {}
    for each in ast.walk(function):
        name, value = fallback(each)
        if name and isinstance(value, ast.Call) and ast.unparse(value.func) == "lit":
            constant = ast.unparse(value.args[0])
            if constant != name:
                found[name] = constant.replace("decimal.Decimal", "Decimal")
    return found


def fallback(step: ast.AST) -> tuple[str | None, ast.AST | None]:
    """The parameter that a step tests for None, and what stands for it then."""
    test = getattr(step, "test", None)
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return None, None
    if isinstance(step, ast.IfExp):
        return test.left.id, step.body if isinstance(test.ops[0], ast.Is) else step.orelse
    if isinstance(step, ast.If) and isinstance(test.ops[0], ast.Is):
        return test.left.id, getattr(step.body[0], "value", None)
    return None, None


def sql_name(name: str) -> str:
    """What SQL calls the function."""
    return RENAMED.get(name, ALIASES.get(name, name))


def aggregates() -> list[str]:
    """The SQL names of the aggregate functions."""
    names = {*sections()["Aggregate Functions"], *MORE_AGGREGATES, "any"}
    return sorted({sql_name(name) for name in names if name not in refused()})


def table() -> str:
    """The text of the table."""
    lines = [
        '"""The functions of PySpark: SQL name and parameters. Written by scripts/spark_functions.py."""',
        "",
        "# fmt: off",
        "# ruff: noqa: E501",
        "from __future__ import annotations",
        "",
        "from decimal import Decimal",
        "",
        "Parameter = tuple[str, str] | tuple[str, str, object]",
        '"""The name of a parameter, what may be given for it, and its default."""',
        "",
        "FUNCTIONS: dict[str, tuple[str, tuple[Parameter, ...]]] = {",
    ]
    for name, function in ordinary().items():
        shown = "".join(f"{parameter_text(each)}, " for each in parameters(function))
        lines.append(f'    "{name}": ("{sql_name(name)}", ({shown.strip()})),')
    lines += ["}", "", "AGGREGATES = frozenset({"]
    lines += [f'    "{name}",' for name in aggregates()]
    lines += ["})", "", "REFUSED: dict[str, str] = {"]
    lines += [f'    "{name}": "{reason}",' for name, reason in refused().items()]
    return "\n".join([*lines, "}", ""])


def parameter_text(parameter: Parameter) -> str:
    """A parameter as Python."""
    head = f'("{parameter[0]}", "{parameter[1]}"'
    return f"{head}, {parameter[2].replace(chr(39), chr(34))})" if len(parameter) == 3 else f"{head})"


def stubs() -> str:
    """The text of the stubs."""
    lines = [
        '"""Spark\'s functions as lazy expressions. Written by scripts/spark_functions.py."""',
        "",
        "# fmt: off",
        "# ruff: noqa: E501",
        "from collections.abc import Callable",
        "",
        "from holdfast.dsl.columns import Expression",
    ]
    lines += [f"from holdfast.dsl.special_functions import {name} as {name}" for name in sorted(special_names())]
    lines.append("")
    for name, function in ordinary().items():
        shown = ", ".join(stub_parameter(each) for each in parameters(function))
        lines.append(f"def {name}({shown}) -> Expression: ...")
    return "\n".join([*lines, ""])


def stub_parameter(parameter: Parameter) -> str:
    """A parameter as a stub has it."""
    annotation = "Callable[..., object]" if parameter[1] == "f" else "object"
    default = f" = {'None' if 'Decimal' in parameter[2] else parameter[2]}" if len(parameter) == 3 else ""
    if parameter[1] == "f" and default == " = None":
        annotation += " | None"
    return f"{parameter[0]}: {annotation}{default}".replace("'", '"')


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
