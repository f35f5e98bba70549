from tests.dsl.helpers import node


def test_it_is_a_join_that_is_left(app, customers, countries):
    purchases = app.table("purchases", "customer BIGINT, country STRING", key=str)
    assert node(purchases.left_join(customers, on="customer"))["how"] == "left"
    assert node(purchases.left_join(countries))["how"] == "left"


def test_fields_of_the_right_may_be_null(app, customers):
    purchases = app.table("purchases", "at STRING NOT NULL", key=int)
    fields = purchases.left_join(customers).node.value_type.fields
    assert [(f.name, f.nullable) for f in fields] == [("at", False), ("name", True), ("city", True)]
