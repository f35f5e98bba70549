"""Every public method of a client has an example that runs, here with a server."""

import asyncio

import pytest

import holdfast as hf
from tests.dsl.test_docstrings import FUNCTIONS, METHODS, check_example

pytestmark = pytest.mark.broker

CONNECTING = [(each.__name__, each) for each in FUNCTIONS]
OURS = [pair for pair in METHODS + CONNECTING if pair[1].__module__.startswith("holdfast.client")]


@pytest.mark.parametrize(("name", "documented"), OURS, ids=[name for name, _ in OURS])
def test_the_example_runs(served, name, documented):
    check_example(name, documented, {"hf": hf, "asyncio": asyncio, "url": served.url})
