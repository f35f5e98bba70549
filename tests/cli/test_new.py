"""`holdfast new`: the project that it makes runs, and its test passes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from holdfast.cli.main import cli
from holdfast.dsl.loader import load_app
from holdfast.ops import examples
from holdfast.testing import Driver


def test_a_project_whose_test_passes(tmp_path: Path) -> None:
    made = CliRunner().invoke(cli, ["new", str(tmp_path / "tea-shop"), "--json"])
    assert made.exit_code == 0, made.output
    project = tmp_path / "tea-shop"
    assert json.loads(made.output)["files"] == ["app.py", "data/orders.json", "test_app.py", "README.md", ".gitignore"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tested = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120, check=False)
    assert "2 passed" in tested.stdout, tested.stdout + tested.stderr


def test_its_data_is_what_its_app_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "holdfast demo ." in CliRunner().invoke(cli, ["new", str(tmp_path / "shop")]).output
    monkeypatch.chdir(tmp_path / "shop")
    project = examples.find(".")
    app = load_app(project.app)
    assert app.name == "shop"
    with Driver(app) as driver:
        for record in project.records():
            driver.pipe(record.topic, json.loads(record.value or b""))
        assert driver.store("revenue")["tea"] == {"orders": 2, "revenue": 10.5}
        assert len(driver.dead_letters()) == 1


@pytest.mark.parametrize(("name", "said"), [("full", "is there already and not empty"), ("a b", "may have letters")])
def test_what_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    refused = CliRunner().invoke(cli, ["new", str(tmp_path / name)])
    assert refused.exit_code == 1
    assert said in refused.output
