"""hf.python while a program is read."""

import pytest

import holdfast as hf
from holdfast.errors import ExpressionError


def test_the_types_are_known(app):
    stream = app.stream("orders", "id BIGINT", key=str)
    assert stream.map_values(hf.python(lambda o: o.id, returns=float)).schema == "key: STRING\nvalue: DOUBLE"
    assert stream.map(hf.python(lambda o: (1, "a"), returns=(int, str))).schema == "key: BIGINT\nvalue: STRING"


def test_something_else_than_a_function_is_refused():
    with pytest.raises(ExpressionError, match="python: 5 is not a function"):
        hf.python(5, returns=int)


def test_a_function_with_other_parameters_is_refused(app):
    with pytest.raises(ExpressionError, match=r"parameters \(a, b, c\); it is called with \(value\) or \(key, value\)"):
        app.stream("orders", str).map_values(hf.python(lambda a, b, c: a, returns=str))


def test_where_it_cannot_run_it_is_refused_with_what_to_do(app):
    stream = app.stream("orders", "id BIGINT", key=str)
    with pytest.raises(ExpressionError, match="cannot run in Python here; compute it before, with map_values"):
        stream.group_by_key().top(3, by=hf.python(lambda o: o.id, returns=int))


def test_reading_a_program_does_not_run_it(app):
    ran = []
    app.stream("orders", str).map_values(hf.python(lambda o: ran.append(o) or 1 / 0, returns=float)).to("out")
    assert app.topology.json()
    assert ran == []


async def waits(order):
    return order.id


def test_how_to_wait_is_for_functions_that_wait():
    with pytest.raises(ExpressionError, match=r"timeout= is for functions that wait, written with async def"):
        hf.python(lambda o: o, returns=int, timeout="5 s")


@pytest.mark.parametrize(("option", "value"), [("concurrency", 0), ("concurrency", True), ("retries", -1)])
def test_how_to_wait_is_checked(option, value):
    with pytest.raises(ExpressionError, match=f"python: {option}={value!r}; a whole number from"):
        hf.python(waits, returns=int, **{option: value})


def test_async_generators_are_refused():
    async def several(order):
        yield order

    with pytest.raises(ExpressionError, match="several is an async generator; give a list instead"):
        hf.python(several, returns=int)
