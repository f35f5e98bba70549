"""`holdfast describe` and `holdfast explain` on an app file."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from holdfast.cli.describe import describe, explain
from holdfast.errors import HoldfastError

APP = """
import holdfast as hf

app = hf.App("words")
app.stream("words", str).group_by(lambda word: word).count(store="counts").to("word-counts")
"""


@pytest.fixture
def app_file(tmp_path):
    file = tmp_path / "words.py"
    file.write_text(APP)
    return str(file)


def run(command, *args):
    return CliRunner().invoke(command, args, catch_exceptions=False)


def test_describe(app_file):
    result = run(describe, app_file)
    assert result.exit_code == 0
    assert result.output.startswith("Topology: words (16 tasks, 1 stage)")
    assert "Processor: count:counts (store: counts; stage 0) at words.py:5" in result.output


def test_describe_as_json(app_file):
    planned = json.loads(run(describe, app_file, "--json").output)
    assert (planned["app"], planned["stages"]) == ("words", 1)


def test_describe_as_mermaid(app_file):
    assert run(describe, app_file, "--mermaid").output.startswith("flowchart TD\n")


def test_describe_as_picture(app_file, tmp_path):
    file = tmp_path / "words.svg"
    assert run(describe, app_file, "--svg", str(file)).output == f"wrote {file}\n"
    assert ET.parse(file).getroot().tag.endswith("svg")
    assert run(describe, app_file, "--svg", "-").output.startswith("<svg")


def test_a_picture_that_cannot_be_written(app_file, tmp_path):
    with pytest.raises(HoldfastError, match="cannot be written: No such file or directory"):
        run(describe, app_file, "--svg", str(tmp_path / "no" / "words.svg"))


def test_two_forms_at_once_are_wrong_use(app_file):
    assert run(describe, app_file, "--json", "--mermaid").exit_code == 2


def test_explain(app_file):
    output = run(explain, app_file).output
    assert "group_by-1 --> count:counts: key changes at group_by-1 (words.py:5)" in output
