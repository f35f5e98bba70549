"""The tables of settings in the docs, made from the one in holdfast/settings/table.py."""

import re
from collections.abc import Iterable

from holdfast.settings.kinds import MAPPING
from holdfast.settings.table import APP, CLIENT, PROCESS, SERVER, WORKERS, Setting
from tests.docs.pages import ROOT


def app_table() -> str:
    """The settings of an app."""
    rows = ([_code(s.name), _code(s.variable), s.kind.name, _default(s), s.about] for s in APP)
    return _table(["setting", "variable", "type", "default", ""], rows)


def worker_table() -> str:
    """The settings of the processes that run Python functions."""
    return _table(["`python=`", "default", ""], ([_code(s.name), _default(s), s.about] for s in WORKERS))


def command_line_table() -> str:
    """The options of a query server and of who asks it."""
    rows = ([_code(s.option), _code(s.variable), _default(s), s.about] for s in [*SERVER, *CLIENT])
    return _table(["option", "variable", "default", ""], rows)


def process_table() -> str:
    """What only variables say."""
    return _table(["variable", "default", ""], ([_code(s.variable), _default(s), s.about] for s in PROCESS))


def replaced(page: str, table: str) -> str:
    """The page with its table of that header replaced."""
    text = (ROOT / page).read_text()
    header = table.partition("\n")[0]
    found = re.search(rf"^{re.escape(header)}\n(\|[^\n]*\n)+", text, re.MULTILINE)
    assert found, f"{page} has no table that begins with {header}"
    return text[: found.start()] + table + text[found.end() :]


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, *rows]
    shown = [" ".join(["|", *(f"{cell} |" if cell else "|" for cell in line)]) for line in lines]
    return "\n".join([shown[0], "|" + "---|" * len(header), *shown[1:], ""])


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _default(setting: Setting) -> str:
    if setting.shown or not setting.default:
        return setting.shown or ("none" if setting.default is None else "nothing" if setting.kind is MAPPING else "")
    return str(int(setting.default)) if isinstance(setting.default, int) else f"`{setting.default}`"


TABLES = [
    ("docs/reference/settings.md", app_table()),
    ("docs/reference/settings.md", command_line_table()),
    ("docs/reference/settings.md", process_table()),
    ("docs/guides/python-processes.md", worker_table()),
]
