"""What Python would do at once and cannot: each refusal names the lambda's line and both ways out."""

import re

import pytest

from holdfast.errors import ExpressionError


def helper(o):
    if o.vip:
        return 1
    return 2


@pytest.mark.parametrize(
    ("function", "what", "instead"),
    [
        (lambda o: o.vip and o.id > 1, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: o.vip or o.id > 1, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: not o.vip, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (lambda o: 1 if o.vip else 2, "`and`, `or`, `not` and `if`", "F.when(condition, a).otherwise(b)"),
        (lambda o: 1 < o.id < 5, "`and`, `or`, `not` and `if`", "`&`, `|`, `~`"),
        (helper, "`and`, `or`, `not` and `if`", "F.when"),
        (lambda o: "x" in o.tags, "`in`", "F.array_contains(array, x)"),
        (lambda o: o.country in ("de", "fr"), "`in`", "F.isin(x, a, b)"),
        (lambda o: len(o.tags), "`len`", "F.size(array)"),
        (lambda o: [t + "!" for t in o.tags], "`for` and unpacking", "F.transform(array, lambda x: ...)"),
        (lambda o: [*o.tags], "`for` and unpacking", "F.transform"),
        (lambda o: str(o.id), "`str` and f-strings", 'F.cast(x, "string")'),
        (lambda o: f"{o.id}", "f-strings and `format`", "F.concat(a, b)"),
        (lambda o: f"{o.id}", "f-strings and `format`", "F.format_string"),
        (lambda o: "%s" % o.id, "`str` and f-strings", "F.format_string"),  # noqa: UP031
        (lambda o: int(o.amount), "`int`", 'F.cast(x, "bigint")'),
        (lambda o: float(o.id), "`float`", 'F.cast(x, "double")'),
        (lambda o: [1, 2][o.id], "a position in a list", "F.element_at"),
        (lambda o: o.tags[1:2], "a slice", "F.slice"),
        (lambda o: o.id is None, "`is None`", "F.isnull(x)"),
        (lambda o: o.tags[0] is not None, "`is None`", "F.isnull(x)"),
        (lambda o: None is o.id, "`is None`", "F.isnull(x)"),
        (lambda o: 1 if o.id is None else 2, "`is None`", "F.isnull(x)"),
    ],
)
def test_refused_with_both_ways_out(orders, function, what, instead):
    with pytest.raises(ExpressionError) as error:
        orders.map_values(function)
    text = str(error.value)
    assert re.match(r"test_misuse.py:\d+: ", text)
    assert what in text
    assert instead in text
    assert "hf.python(f, returns=...)" in text


def test_the_line_is_that_of_the_lambda(orders):
    line = test_the_line_is_that_of_the_lambda.__code__.co_firstlineno
    with pytest.raises(ExpressionError, match=rf"^test_misuse.py:{line + 6}: "):
        orders.map_values(
            lambda o: dict(
                a=o.id,
                b=o.vip and o.id,
            )
        )


def test_is_none_on_something_else_is_fine(orders):
    setting = None
    made = orders.map_values(lambda o, default=None: o.id if setting is None and default is None else o.amount)
    assert made.schema.endswith("value: BIGINT")


def test_comparing_with_none_is_refused(orders):
    with pytest.raises(ExpressionError, match=r"comparing value.id with None is never true; write F.isnull\(x\)"):
        orders.filter(lambda o: o.id == None)  # noqa: E711


def test_a_column_method_is_told_to_be_a_function(orders):
    with pytest.raises(ExpressionError, match="value.id has no method 'cast': helpers are functions"):
        orders.map_values(lambda o: o.id.cast("string"))


def test_a_negative_position_is_refused(orders):
    with pytest.raises(ExpressionError, match=r"F.element_at\(array, -1\)"):
        orders.map_values(lambda o: o.tags[-1])


def test_setting_and_calling_a_field_are_refused(orders):
    def change(o):
        o.id = 3

    with pytest.raises(ExpressionError, match=r"value cannot be changed; make a new record: dict\(record, id=...\)"):
        orders.map_values(change)
    with pytest.raises(ExpressionError, match="value.country is a field and cannot be called"):
        orders.map_values(lambda o: o.country())


def test_star_and_keyword_parameters_are_refused(orders):
    with pytest.raises(ExpressionError, match=r"has the parameter \*o; use plain ones"):
        orders.map_values(lambda *o: o)
    with pytest.raises(ExpressionError, match="has the parameter k; use plain ones"):
        orders.map_values(lambda o, *, k: o)
