"""Undocumented means failing, and so does what is documented and not there."""

import os
import re
import tomllib

import pytest

import holdfast as hf
from holdfast.cli.main import cli
from holdfast.dsl.functions import NAMES as F_NAMES
from holdfast.dsl.spark_functions import REFUSED
from holdfast.server.metrics import described
from holdfast.server.routes import BUILT_IN, POSTED
from holdfast.settings.table import APP, CLIENT, SERVER
from holdfast.spark import session
from tests.docs import reference
from tests.docs.pages import ROOT, WRITTEN, text_of
from tests.docs.settings_tables import TABLES, replaced

TEXT = text_of(WRITTEN)
COMMANDS = [command for _, command in reference.commands(cli, "holdfast")]
RESTARTS = (ROOT / "docs/guides/restarts.md").read_text()
MONITORING = (ROOT / "docs/guides/monitoring.md").read_text()
METHODS = sorted({(cls.__name__, name) for cls in reference.CLASSES for name, _ in reference.members(cls)})
VARIABLE = re.compile(r"HOLDFAST_[A-Z][A-Z_]*[A-Z]")
SOURCES = list((ROOT / "holdfast").rglob("*.py"))
CHAPTERS = {
    "App": [
        "concepts/programs",
        "guides/errors",
        "guides/queries",
        "guides/running",
        "guides/restarts",
        "reference/settings",
    ],
    "Stream": ["concepts/programs"],
    "Table": ["concepts/programs", "concepts/tables", "guides/joins"],
    "GlobalTable": ["concepts/programs"],
    "Grouped": ["concepts/programs", "guides/aggregates", "concepts/tables", "concepts/windows", "guides/patterns"],
    "Cogrouped": ["guides/aggregates", "guides/record-windows"],
    "Processor": ["guides/stateful-functions"],
    "ProcessorContext": ["guides/stateful-functions"],
    "StateStore": ["guides/stateful-functions"],
    "Topology": ["concepts/programs"],
    "StoreHandle": ["guides/queries"],
    "Running": ["guides/running"],
    "Driver": ["guides/testing"],
}


@pytest.mark.parametrize(("page", "table"), TABLES, ids=["app", "command line", "process", "workers"])
def test_the_tables_of_settings_are_those_of_the_code(page, table):
    """HOLDFAST_DOCS_UPDATE=1 writes them anew."""
    shown = replaced(page, table)
    if os.environ.get("HOLDFAST_DOCS_UPDATE"):
        (ROOT / page).write_text(shown)
    assert (ROOT / page).read_text() == shown


def test_every_option_of_the_table_is_one_of_a_command():
    options = {option for command in COMMANDS for each in command.params for option in each.opts}
    assert [s.option for s in [*APP, *SERVER, *CLIENT] if s.option and s.option not in options] == []


def test_every_guarantee_names_a_test_that_is_there():
    rows = [line for line in RESTARTS.splitlines() if re.search(r"\| [^|]*(`tests/|`make faults`)[^|]*\|$", line)]
    assert len(rows) > 15
    for row in rows:
        shown = row.rstrip("|").rpartition("|")[2]
        for named in re.findall(r"`(tests/[^`]+)`", shown):
            assert (ROOT / named).is_file(), f"{named} is not there: {row}"


def test_every_promise_of_the_threat_model_names_tests_that_are_there():
    named = re.findall(r"`(tests/[^`]+)`", (ROOT / "docs/reference/threat-model.md").read_text())
    assert len(named) > 20
    assert [each for each in named if not (ROOT / each).is_file()] == []


def test_every_line_of_the_tables_of_guarantees_is_shown():
    tables = re.findall(r"^\|[^\n]*\| shown by \|\n\|[-|]+\n((?:\|[^\n]*\n)+)", RESTARTS, re.MULTILINE)
    assert len(tables) == 2
    for row in "".join(tables).splitlines():
        assert re.search(r"`(tests/|make faults)", row.rstrip("|").rpartition("|")[2]), row


def test_every_variable_that_is_read_is_documented():
    read = {name for path in SOURCES for name in VARIABLE.findall(path.read_text())}
    assert {name for name in read if name not in TEXT} == set()


@pytest.mark.parametrize("path", [*BUILT_IN, *POSTED, "/sql", "/"])
def test_every_route_is_in_the_chapter_on_queries(path):
    shown = re.sub(r":\w+}", "}", path)
    chapter = (ROOT / "docs/guides/queries.md").read_text()
    assert re.search(rf"`(GET |POST )?{re.escape(shown)}`", chapter)


@pytest.mark.parametrize(("name", "kind"), described().items())
def test_every_metric_is_in_the_table_with_its_kind(name, kind):
    assert re.search(rf"^\| `{name}` \| {kind} \|", MONITORING, re.MULTILINE)


def test_the_table_has_no_metric_that_is_not_exported():
    assert set(re.findall(r"^\| `(holdfast_\w+)` \|", MONITORING, re.MULTILINE)) == set(described())


@pytest.mark.parametrize("name", hf.__all__)
def test_every_public_name_is_in_a_chapter(name):
    assert re.search(rf"\bhf\.{name}\b", TEXT)


@pytest.mark.parametrize(("cls", "name"), METHODS, ids=[f"{cls}.{name}" for cls, name in METHODS])
def test_every_public_method_is_in_its_chapter(cls, name):
    text = text_of([ROOT / "docs" / f"{chapter}.md" for chapter in CHAPTERS[cls]])
    assert re.search(rf"(\.|`){name}\b", text)


def test_what_the_pages_call_exists():
    """Names of `hf.` and `F.` in the pages are names of the package; what comes later is not promised."""
    called = {name for name in re.findall(r"\bhf\.(\w+)", TEXT) if name not in hf.__all__}
    assert called == set()
    known = {*F_NAMES, *REFUSED}
    functions = {name for name in re.findall(r"\bF\.([a-z]\w*[a-z0-9])\b", TEXT) if name not in known}
    assert functions == set()


@pytest.mark.parametrize("name", [*session.DEFAULTS, "spark.sql.shuffle.partitions"])
def test_every_spark_setting_has_its_reason(name):
    assert f"`{name}`" in (ROOT / "docs/internals/dependencies.md").read_text()


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    text = (ROOT / "docs/internals/dependencies.md").read_text()
    assert [each for each in wanted if re.split(r"[<>=]", each)[0] not in text] == []
