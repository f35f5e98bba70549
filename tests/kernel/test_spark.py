"""What the kernel puts in the place of parts of Spark."""

import pytest

from .conftest import RunJava


def test_files_copied_by_the_system(run_java: RunJava) -> None:
    run_java("spark.LocalDiskTest")


@pytest.mark.parametrize("copies", ["LocalDisk", "Hadoop"])
def test_a_checkpoint_after_a_loss_of_power(run_java: RunJava, copies: str) -> None:
    run_java("spark.PowerLossTest", copies)


def test_a_checkpoint_that_is_not_synced_is_lost_with_the_power(run_java: RunJava) -> None:
    with pytest.raises(AssertionError, match="got    lost"):
        run_java("spark.PowerLossTest", "LocalDisk", "false")
