"""What the kernel's stores give back."""

from .conftest import RunJava


def test_index_of_times(run_java: RunJava) -> None:
    run_java("stores.TimeIndexTest")


def test_series_of_a_key(run_java: RunJava) -> None:
    run_java("stores.TimeSeriesTest")


def test_what_lies_behind_a_row(run_java: RunJava) -> None:
    run_java("stores.RowExtraTest")


def test_rows_made_by_hand(run_java: RunJava) -> None:
    run_java("stores.BinaryRowsTest")


def test_order_of_keys(run_java: RunJava) -> None:
    run_java("stores.KeyOrderTest")


def test_list_of_writes(run_java: RunJava) -> None:
    run_java("stores.WriteListTest")


def test_rows_that_pass_by_the_store(run_java: RunJava) -> None:
    run_java("stores.RocksRowsTest")


def test_rows_in_files_that_are_lost(run_java: RunJava) -> None:
    run_java("stores.LostFilesTest")


def test_rows_in_memory(run_java: RunJava) -> None:
    run_java("stores.RowPagesTest")


def test_things_by_key(run_java: RunJava) -> None:
    run_java("stores.KeyTableTest")


def test_values_as_bytes(run_java: RunJava) -> None:
    run_java("task.RowCodecTest")


def test_state_that_a_program_has_no_use_for_does_not_come_back(run_java: RunJava) -> None:
    run_java("stores.DroppedVariablesTest")
