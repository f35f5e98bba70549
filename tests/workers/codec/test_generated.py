"""Functions made from source: what they see, what tracebacks show of them, and names of fields with any letters."""

import linecache
import traceback
from dataclasses import dataclass

import pytest

from holdfast.types import LONG, STRING, Array, Map, Struct
from holdfast.types.type_hints import type_of
from holdfast.types.value_classes import Classes, classes_of
from holdfast.workers.codec.canonical import canonical_form
from holdfast.workers.codec.column_decoder import Row
from holdfast.workers.codec.fast_json import NeedsCheck, fast_encoder
from holdfast.workers.codec.generated import FunctionSource, attribute, item, optional_item
from holdfast.workers.codec.json_size import JsonSize
from holdfast.workers.codec.row_encoder import row_encoder
from holdfast.workers.process.failures import failure_reason

NASTY = ["it's", 'a "quote"', "back\\slash", "new\nline", "{braces}", "{}", "%s", "é", "class", "\ud800"]


@dataclass
class Score:
    points: int


def test_values_that_are_bound_have_names_of_their_own():
    source = FunctionSource(limit=10)
    one, other = source.bind(1), source.bind(2)
    assert len({"limit", one, other}) == 3
    assert source.expression("x", f"(limit, {one}, {other}, x)")(3) == (10, 1, 2, 3)


def test_variables_have_names_of_their_own():
    source = FunctionSource()
    assert source.variable() != source.variable()


def test_a_function_does_not_see_what_another_source_has_bound():
    FunctionSource(secret=1)
    with pytest.raises(NameError):
        FunctionSource().expression("", "secret")()


def test_a_traceback_shows_the_source():
    broken = FunctionSource().function("broken", "x", [" y = x", " return y.nothing"])
    with pytest.raises(AttributeError) as failed:
        broken(1)
    linecache.checkcache()
    assert "return y.nothing" in "".join(traceback.format_exception(failed.value))


def test_two_sources_do_not_show_each_others_lines():
    made = [FunctionSource().expression("x", f"x.field{number}") for number in range(2)]
    for number, each in enumerate(made):
        with pytest.raises(AttributeError) as failed:
            each(1)
        assert f"return x.field{number}" in "".join(traceback.format_exception(failed.value))


def test_a_user_is_not_told_of_generated_lines():
    @dataclass
    class Call:
        title: str

    with pytest.raises(AttributeError) as failed:
        FunctionSource().expression("x", "x.nothing")(1)
    # The one frame that is shown is this file's.
    [frames] = failure_reason(Call("f"), failed.value).split("[")[1:]
    assert ";" not in frames
    assert __file__ in frames


@pytest.mark.parametrize("name", NASTY)
def test_names_of_any_letters_are_items(name):
    made = FunctionSource().expression("x", f"({item('x', name)}, {optional_item('x', name)})")
    assert made({name: 5}) == (5, 5)


def test_an_attribute():
    assert FunctionSource().expression("x", attribute("x", "points"))(Score(3)) == 3


@pytest.mark.parametrize("name", NASTY)
def test_records_whose_fields_have_any_names(name):
    type_ = Struct(**{name: Struct(**{name: Array(LONG)})})
    form = canonical_form(type_)
    value = form.stored({name: {name: [1, None]}})
    assert value == Row({name: Row({name: [1, None]})})
    assert form.is_canonical(value)
    copy = form.copy(value)
    assert copy == value
    assert copy[name][name] is not value[name][name]


@pytest.mark.parametrize("name", [each for each in NASTY if each.isprintable()])
def test_sizes_of_records_whose_fields_have_any_names(name):
    sizes = JsonSize(Struct(**{name: STRING, "n": LONG}))
    assert sizes.close(Row({name: "abc", "n": 1})) >= len(name) + len("abc")


@pytest.mark.parametrize("name", NASTY)
def test_records_are_taken_apart_whatever_their_fields_are_called(name):
    take = row_encoder(Struct(**{name: LONG, "texts": Map(STRING, STRING)}), Classes(), leave=lambda value: "left")
    assert take({name: 1, "texts": {"a": "b"}}) == (1, {"a": "b"})
    assert take((1, None)) == (1, None)
    assert take({name: "1", "texts": {}}) == "left"
    assert take(None) is None


def test_what_is_not_plain_is_odd():
    part = fast_encoder(type_of(Score, "state"), classes_of(Score))
    assert part(Score(1)) == {"points": 1}
    for wrong in (Score("1"), Score(1 << 63), {"points": 1}):
        with pytest.raises(NeedsCheck):
            part(wrong)
