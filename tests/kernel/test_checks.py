"""The kernel's test programs themselves."""

import pytest

from .conftest import RunJava


def test_a_program_that_checks_nothing_fails(run_java: RunJava) -> None:
    with pytest.raises(AssertionError, match="FAILED nothing was checked"):
        run_java("NoChecks")
