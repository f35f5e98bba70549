"""hf.arrow while a program is read."""

import pytest

import holdfast as hf
from holdfast.errors import ExpressionError


def test_the_types_are_known(app):
    stream = app.stream("orders", "id BIGINT", key=str)
    assert stream.map_values(hf.arrow(lambda batch: batch, returns=float)).schema == "key: STRING\nvalue: DOUBLE"


def test_something_else_than_a_function_is_refused():
    with pytest.raises(ExpressionError, match=r"arrow: 5 is not a function; give one: hf.arrow\(f, returns=...\)"):
        hf.arrow(5, returns=int)


@pytest.mark.parametrize("method", ["flat_map", "flat_map_values"])
def test_any_number_of_results_is_refused_with_what_to_do(app, method):
    stream = app.stream("orders", "id BIGINT", key=str)
    with pytest.raises(ExpressionError, match="one row for each that it gets; give a list for each: map_values"):
        getattr(stream, method)(hf.arrow(lambda batch: batch, returns=int))


def test_other_parameters_are_refused(app):
    with pytest.raises(ExpressionError, match=r"it is called with \(value\) or \(key, value\)"):
        app.stream("orders", str).map_values(hf.arrow(lambda a, b, c: a, returns=str))
