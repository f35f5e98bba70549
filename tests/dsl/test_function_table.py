"""The table of functions is what the installed PySpark has, and every call it makes exists in Spark's SQL."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.dsl.functions import NAMES, SPECIAL, function
from holdfast.dsl.spark_functions import AGGREGATES, FUNCTIONS, REFUSED

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "spark_functions.py"
SQL_NAMES = set((ROOT / "scripts" / "spark_sql_names.txt").read_text().split())


def test_the_committed_files_are_what_the_script_writes():
    found = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_every_public_function_of_pyspark_is_there_or_refused():
    pyspark = pytest.importorskip("pyspark")
    text = (Path(pyspark.__file__).parent / "sql/functions/__init__.py").read_text()
    listed = next(
        ast.literal_eval(each.value)
        for each in ast.parse(text).body
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "__all__"
    )
    functions = {name for name in listed if name[0].islower()}
    assert functions - set(NAMES) - set(REFUSED) == set()
    assert len(functions) > 500


def test_every_sql_name_exists_in_spark():
    assert {sql for sql, _ in FUNCTIONS.values()} - SQL_NAMES == set()
    assert set() == AGGREGATES - SQL_NAMES


def test_no_function_is_both_there_and_refused():
    assert set(REFUSED) & (set(FUNCTIONS) | set(SPECIAL)) == set()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_can_be_called_with_its_required_parameters(name):
    _, parameters = FUNCTIONS[name]
    required = [each for each in parameters if len(each) == 2]
    arguments = [_argument(kind) for _, kind in required]
    more = {"iv": "a"} if name == "aes_encrypt" else {}
    made = function(name)(*arguments, **more)
    assert made._hf_tree["call"] in SQL_NAMES


def _argument(kind):
    if kind == "f":
        return lambda x: x
    return {"a": "b"} if kind == "o" else "a"
