"""Records on their way through a task."""

from .conftest import RunJava


def test_a_record_keeps_what_is_known_of_it(run_java: RunJava) -> None:
    run_java("task.StreamRecordTest")
