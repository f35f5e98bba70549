"""What the kernel puts in the place of parts of Spark."""

from .conftest import RunJava


def test_files_copied_by_the_system(run_java: RunJava) -> None:
    run_java("spark.LocalDiskTest")
