"""Reading an app file starts nothing and imports nothing heavy."""

import subprocess
import sys

APP = """
import holdfast as hf
from holdfast import functions as F

app = hf.App("light")
words = app.stream("lines", str).flat_map_values(lambda line: F.split(line, " "))
words.group_by("value").agg(n=F.count("*"), store="counts").to("counts")
counts = app.store("counts")

@app.get("/counts")
def every():
    return dict(counts.all())

app.run()
"""
CHECK = """
import sys
from holdfast.dsl.loader import load_app
app = load_app(sys.argv[1])
app.topology.json()
app.describe()
heavy = ("pyspark", "py4j", "lmdb", "starlette", "uvicorn", "confluent_kafka", "pandas", "pyarrow", "numpy",
         "prometheus_client")
print([name for name in heavy if name in sys.modules])
"""


def test_reading_an_app_imports_no_spark_no_broker_no_server(tmp_path):
    file = tmp_path / "light_app.py"
    file.write_text(APP)
    found = subprocess.run([sys.executable, "-c", CHECK, str(file)], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("[]\n", "")
