"""An app with a stream of orders and tables of customers and countries; no settings from outside."""

import pytest

import holdfast as hf


@pytest.fixture(autouse=True)
def nothing_from_outside(no_settings_from_outside):
    pass


@pytest.fixture
def app():
    return hf.App("shop")


@pytest.fixture
def orders(app):
    fields = "id BIGINT, customer BIGINT, country STRING, amount DOUBLE, vip BOOLEAN, tags ARRAY<STRING>"
    return app.stream("orders", fields, key=str)


@pytest.fixture
def customers(app):
    return app.table("customers", "name STRING, city STRING", key=int)


@pytest.fixture
def countries(app):
    return app.global_table("countries", "title STRING", key=str)
