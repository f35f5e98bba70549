"""Pages on performance have the figures of bench/published.json; HOLDFAST_DOCS_UPDATE=1 writes them anew."""

import json
import os

import pytest

from bench import page


@pytest.fixture(scope="module")
def runs():
    found = page.load()
    if os.environ.get("HOLDFAST_DOCS_UPDATE"):
        page.write(found)
    return found


@pytest.mark.parametrize("path", page.PAGES, ids=lambda path: path.name)
def test_pages_have_the_published_figures(path, runs):
    assert path.read_text() == page.page(path.read_text(), runs)


def test_another_figure_is_noticed(runs):
    """A page is written anew from what stands in the file of results, whatever stood between the marks."""
    changed = json.loads(json.dumps(runs))
    changed["workloads"]["results"][0]["steady"] += 1000
    assert page.page(page.PAGES[0].read_text(), changed) != page.PAGES[0].read_text()


def test_every_published_run_and_table_is_on_a_page(runs):
    marks = [found[2] for path in page.PAGES for found in page.REGION.finditer(path.read_text())]
    assert sorted(marks) == sorted(page.TABLES)
    assert {source for source, _ in page.TABLES.values()} == set(runs)


def test_charts_show_the_published_figures(runs):
    assert {path.name: path.read_text() for path in page.CHARTS.glob("*.svg")} == page.pictures(runs)


def test_a_run_is_published(tmp_path, monkeypatch):
    published = tmp_path / "published.json"
    published.write_text(page.PUBLISHED.read_text())
    monkeypatch.setattr(page, "PUBLISHED", published)
    result = {"peer": "ours", "workload": "tumbling", "steady": 5000.0, "right": 7, "keys": 7, "others": 0.25}
    file = tmp_path / "timed-20300102-0304.json"
    file.write_text(json.dumps([result]))
    page.publish("timed-long", file, "a test")
    text = page.region("timed-long", page.load())
    assert "2030-01-02" in text
    assert "up to 25% of the CPU" in text
    assert "| tumbling windows | 5,000 |" in text
    published.write_text(page.dump(json.loads(published.read_text())))
    assert page.load()["timed-long"]["results"] == [result]


def test_a_file_without_a_date_is_refused(tmp_path):
    file = tmp_path / "results.json"
    file.write_text("[]")
    with pytest.raises(SystemExit, match="ends with its date"):
        page.publish("timed", file, "")
