"""Arrow does not import pandas until somebody uses it, and then treats its frames as ever."""

import subprocess
import sys

import pytest

pytest.importorskip("pandas")

SCRIPT = """
import sys
from holdfast.workers.process import lazy_pandas
import pyarrow as pa

lazy_pandas.defer_pandas()
assert pa.array([1, None]).to_pylist() == [1, None]
assert "pandas" not in sys.modules
{}
import pandas
assert pa.array(pandas.Series([1.0, float("nan")])).null_count == 1
assert pa.Table.from_pandas(pandas.DataFrame(dict(a=[1]))).num_rows == 1
"""


@pytest.mark.parametrize("used", ["", "pa.array([1]).to_pandas()", "from pandas import DataFrame"])
def test_it_comes_when_it_is_used(used):
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(used)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
