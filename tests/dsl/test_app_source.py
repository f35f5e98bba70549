import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import call, lit, node, value


def test_a_dataframe_is_kept_beside_its_node(app):
    def rate(spark):
        return spark

    ticks = app.source(rate, key="value", timestamp=lambda t: t.timestamp)
    assert node(ticks) == {
        "id": "dataframe-1",
        "op": "dataframe",
        "inputs": [],
        "key": value("value"),
        "timestamp": value("timestamp"),
    }
    assert app.dataframes["dataframe-1"] is rate


def test_its_fields_are_known_to_spark_only(app):
    ticks = app.source(lambda spark: spark)
    assert ticks.schema == "key: ?\nvalue: ?"
    assert node(ticks.filter(lambda t: t.any.field > 3))["predicate"] == call(">", value("any", "field"), lit(3))


def test_a_dataframe_itself_is_refused(app):
    with pytest.raises(TopologyError, match="source wants a function of the Spark session"):
        app.source(object())
