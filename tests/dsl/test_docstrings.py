"""Every public name and method has one sentence, and an example that runs."""

import doctest
import inspect

import pytest

import holdfast as hf

CLASSES = [each for each in (getattr(hf, name) for name in hf.__all__) if inspect.isclass(each)]
FUNCTIONS = [each for each in (getattr(hf, name) for name in hf.__all__) if inspect.isfunction(each)]
DATA = {"Topology", "HoldfastError", "KeyNotFound"}


def methods(cls):
    for name in dir(cls):
        if name.startswith("_") or (cls.__name__, name) == ("StoreHandle", "bind"):
            continue
        member = inspect.getattr_static(cls, name)
        function = member.fget if isinstance(member, property) else member
        if inspect.isfunction(function) and function.__module__.startswith("holdfast"):
            yield f"{cls.__name__}.{name}", function


METHODS = [pair for cls in CLASSES if cls.__name__ not in DATA for pair in methods(cls)]
# Clients need a server: tests/client has one.
OFFLINE = [pair for pair in METHODS if not pair[1].__module__.startswith("holdfast.client")]
HOLDERS = [(cls.__name__, cls) for cls in CLASSES if cls.__name__ in ("App", "Materialized", "StoreHandle", "Topology")]
PLAIN = [each for each in FUNCTIONS if not each.__module__.startswith("holdfast.client")]
EXAMPLES = [*OFFLINE, *((each.__name__, each) for each in PLAIN), *HOLDERS]
WITHOUT = {"App.name"}


@pytest.mark.parametrize(("name", "documented"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_the_example_runs(name, documented):
    if name in WITHOUT:
        return
    check_example(name, documented, {"__name__": "example"})


def check_example(name, documented, names):
    text = inspect.getdoc(documented) or ""
    assert text.splitlines()[0].endswith(".")
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert test.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    failures = []
    runner.run(test, out=failures.append)
    assert runner.failures == 0, "".join(failures)


def test_the_public_names_are_sorted():
    assert list(hf.__all__) == sorted(hf.__all__)
