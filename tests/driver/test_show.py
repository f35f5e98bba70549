"""`show()`: the first rows of a stream or a table on sample data, and what notebooks draw."""

from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError
from holdfast.testing import Driver

ORDERS = {
    "orders": [
        ("a", {"product": "tea", "pieces": 2}),
        ("b", {"product": "cake", "pieces": 1}),
        ("a", {"product": "tea", "pieces": 5}),
        ("a", b"{"),
    ]
}


@pytest.fixture
def app():
    return hf.App("shown")


@pytest.fixture
def orders(app):
    return app.stream("orders", "product STRING, pieces INT", key=str)


def test_a_stream_shows_its_first_rows_and_what_could_not_be_read(orders):
    shown = orders.map_values(lambda o: dict(o, twice=o.pieces * 2)).show(ORDERS, rows=2)
    assert shown.rows == [
        ("a", {"product": "tea", "pieces": 2, "twice": 4}),
        ("b", {"product": "cake", "pieces": 1, "twice": 2}),
    ]
    assert repr(shown).splitlines() == [
        "map_values-1, 2 of 3 rows",
        "key  product  pieces  twice",
        "a    tea      2       4",
        "b    cake     1       2",
        "dead letter: value: malformed JSON at byte 1: it ends inside of an object: a } is missing",
    ]


def test_a_table_shows_what_it_has_at_the_end(orders):
    counts = orders.group_by_key().count(store="counts")
    assert counts.show(ORDERS).rows == [("a", 2), ("b", 1)]
    assert counts.filter(lambda n: n > 1).show(ORDERS).rows == [("a", 2)]


def test_a_global_table_shows_its_rows(app, orders):
    products = app.global_table("products", "price DOUBLE", key=str)
    orders.join(products, lambda o, p: p.price, on=lambda o: o.product).to("prices")
    assert products.show({"products": [("tea", {"price": 3.5})]}).rows == [("tea", {"price": 3.5})]


def test_the_program_is_the_same_afterwards(app, orders):
    orders.to("copies")
    app.store("later")
    before = [node.id for node in app.graph.nodes]
    orders.show(ORDERS)
    assert [node.id for node in app.graph.nodes] == before


def test_samples_are_files_here(app, orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "orders.json").write_text('{"product": "tea", "pieces": 1}\n')
    (tmp_path / "data" / "unread.txt").write_text("another topic\n")
    assert len(orders.show(tmp_path / "data")) == 1
    monkeypatch.chdir(tmp_path)
    app.file = None
    assert orders.show().rows == [(None, {"product": "tea", "pieces": 1})]
    assert "<td>tea</td>" in orders._repr_html_()


def test_what_is_refused(app, orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    app.file = None
    with pytest.raises(HoldfastError, match="there is no directory data with sample records; give them"):
        orders.show()
    with pytest.raises(HoldfastError, match="there is no directory nowhere"):
        orders.show("nowhere")
    with pytest.raises(HoldfastError, match="rows=0"):
        orders.show(ORDERS, rows=0)
    with pytest.raises(HoldfastError, match="does not read topic 'order'; did you mean 'orders'"):
        orders.show({"order": [1]})


def test_notebooks_draw_apps_and_schemas(app, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    app.file = None
    assert "reads nothing" in app._repr_html_()
    orders = app.stream("orders", "product STRING", key=str)
    assert "<svg" in app._repr_html_()
    assert app._repr_html_() == app.topology._repr_html_()
    assert "<td>STRUCT&lt;product: STRING&gt;</td>" in orders._repr_html_()


def test_html_has_nothing_of_what_records_say(orders):
    evil = "<script>alert(1)</script>"
    shown = orders.show({"orders": [(evil, {"product": evil, "pieces": 1}), ("a", b"{" + evil.encode())]})
    assert "<script>" not in shown._repr_html_()
    assert "&lt;script&gt;" in shown._repr_html_()


def test_a_store_is_a_table(app, orders):
    orders.group_by_key().count(store="counts")
    with Driver(app) as driver:
        driver.pipe("orders", {"product": "tea", "pieces": 1}, key="a")
        assert "<tr><td>a</td><td>1</td></tr>" in driver.store("counts")._repr_html_()
    assert "not served here" in app.store("counts")._repr_html_()
