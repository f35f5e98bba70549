"""What the kernel's serdes read, refuse and write."""

from .conftest import RunJava


def test_rules(run_java: RunJava) -> None:
    run_java("serde.SerdeTest")


def test_random_documents(run_java: RunJava) -> None:
    run_java("serde.JsonFuzzTest")
