"""The pictures of the docs show what programs do now; HOLDFAST_DOCS_UPDATE=1 draws them anew."""

import os
from pathlib import Path

import pytest

from .pictures import all_pictures

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.fixture(scope="module")
def pictures() -> dict[str, str]:
    return all_pictures()


def test_pictures_are_up_to_date(pictures):
    if os.environ.get("HOLDFAST_DOCS_UPDATE"):
        FOLDER.mkdir(exist_ok=True)
        for name, drawn in pictures.items():
            (FOLDER / name).write_text(drawn)
    assert {path.name: path.read_text() for path in FOLDER.glob("*.svg")} == pictures


def test_every_picture_is_shown(pictures):
    pages = "".join(path.read_text() for path in FOLDER.parent.glob("**/*.md"))
    assert [name for name in pictures if f"pictures/{name}" not in pages] == []
