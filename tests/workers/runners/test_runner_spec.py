"""Each kind of function has a runner, which is found by name only where it runs."""

from importlib import import_module

import pytest

from holdfast.topology.runner_spec import RUNNERS


@pytest.mark.parametrize("kind", RUNNERS)
def test_each_kind_has_a_runner(kind):
    module, name = RUNNERS[kind].split(":")
    assert callable(getattr(import_module(module), name).run)
