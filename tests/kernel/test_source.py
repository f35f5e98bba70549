"""How far the kernel's source reads."""

from .conftest import RunJava


def test_batches_of_a_backlog(run_java: RunJava) -> None:
    run_java("source.AlignmentTest")
