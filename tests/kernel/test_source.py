"""How far the kernel's source reads."""

from .conftest import RunJava


def test_batches_of_a_backlog(run_java: RunJava) -> None:
    run_java("source.AlignmentTest")


def test_what_tasks_hear_of_idle_topics_and_of_the_clock(run_java: RunJava) -> None:
    run_java("source.TickScheduleTest")
