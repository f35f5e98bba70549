import re
from pathlib import Path

import pytest

import holdfast.errors as errors

CLASSES = {name: each for name, each in vars(errors).items() if isinstance(each, type)}


@pytest.mark.parametrize("name", CLASSES)
def test_every_error_is_ours_and_drawn_in_the_tree(name):
    assert issubclass(CLASSES[name], errors.HoldfastError)
    assert re.search(rf"\b{name}\b", errors.__doc__)


def test_a_message_says_where():
    assert str(errors.TopologyError("no topic", at="app.py:3")) == "app.py:3: no topic"
    assert str(errors.KeyNotFound("no key 3")) == "no key 3"


def test_no_error_of_python_is_raised_for_users():
    for path in Path(errors.__file__).parent.joinpath("dsl").glob("*.py"):
        assert not re.search(r"raise (ValueError|TypeError|RuntimeError)\(", path.read_text()), path.name
