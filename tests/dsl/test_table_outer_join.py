import pytest

from holdfast.errors import TopologyError
from tests.dsl.helpers import node


@pytest.fixture
def ordered(app):
    return app.table("ordered", "pieces INT NOT NULL", key=str)


def test_both_sides_may_be_null(app, ordered):
    joined = ordered.outer_join(app.table("returned", "sent_back INT NOT NULL", key=str), store="moves")
    assert (node(joined)["op"], node(joined)["how"]) == ("table_join", "outer")
    assert [f.nullable for f in joined.node.value_type.fields] == [True, True]


def test_a_global_table_is_refused(ordered, countries):
    with pytest.raises(TopologyError, match="outer_join wants a table, the global table 'countries' came"):
        ordered.outer_join(countries)


def test_keys_must_fit(ordered, customers):
    with pytest.raises(TopologyError, match="key is string, table 'customers' has key int; make the keys alike"):
        ordered.outer_join(customers)
