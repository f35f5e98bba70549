"""A small project to begin with: an app, its data, its test and a README, from the files in `project/`."""

from __future__ import annotations

from pathlib import Path
from string import Template

from holdfast.errors import HoldfastError
from holdfast.names import check_name

_TEMPLATES = Path(__file__).parent / "project"
FILES = {
    "app.py": "app.py.txt",
    "data/orders.json": "data/orders.json.txt",
    "test_app.py": "test_app.py.txt",
    "README.md": "README.md.txt",
    ".gitignore": "gitignore.txt",
}
"""The files of a project, and the templates that they are made of."""


def new_project(directory: Path) -> list[str]:
    """Write the project, whose app is called as the directory is, and give its files; one with files is refused."""
    name = check_name("the name of an app", directory.absolute().name, HoldfastError, longest=200)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise HoldfastError(f"{directory} is there already and not empty; choose another name")
    try:
        for file, template in FILES.items():
            path = directory / file
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (_TEMPLATES / template).read_text(encoding="utf-8")
            path.write_text(Template(text).substitute(name=name), encoding="utf-8")
    except OSError as error:
        raise HoldfastError(f"{directory} cannot be written: {error.strerror or error}; choose another place") from None
    return list(FILES)
