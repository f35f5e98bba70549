"""The notebook of the leaderboard runs from the first cell to the last, and draws what it should."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "leaderboard" / "leaderboard.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each cell shows, by its source: as HTML where it has that, else as text."""
    here = tmp_path_factory.mktemp("notebook")
    shutil.copytree(NOTEBOOK.parent / "data", here / "data")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(here)}}).execute()
    return {cell.source: shown(cell) for cell in notebook.cells if cell.cell_type == "code"}


def shown(cell: nbformat.NotebookNode) -> str:
    found = [each.data for each in cell.outputs if "data" in each]
    return "".join(data.get("text/html") or data.get("text/plain", "") for data in found)


def test_the_notebook_is_stored_without_outputs() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert not any(cell.get("outputs") for cell in cells)


def test_streams_show_their_schema_and_first_rows(outputs: dict[str, str]) -> None:
    assert "STRUCT&lt;score: INT, product_id: INT, player_id: INT&gt;" in outputs["scores"]
    assert "<td>4000</td>" in outputs["scores"]
    assert "<td>Isabelle</td>" in outputs["players.show()"]


def test_results_are_tables(outputs: dict[str, str]) -> None:
    (boards,) = (html for source, html in outputs.items() if source.startswith("high_scores ="))
    assert "<td>Super Smash Bros</td>" in boards
    assert "<td>Mario Kart</td>" in boards


def test_the_app_draws_itself(outputs: dict[str, str]) -> None:
    assert "<svg" in outputs["app"]
    assert "high-scores" in outputs["app"]
    assert "shown-rows" not in outputs["app"]


def test_the_driver_answers(outputs: dict[str, str]) -> None:
    assert "'player': 'Elyse'" in next(reversed(outputs.values()))
