"""The kernel's source and sink, through Spark and a real broker."""

from holdfast.ops.broker import Broker

from .conftest import RunJava


def test_source_and_sink(run_java: RunJava, broker: Broker) -> None:
    run_java("kafka.KafkaTest", broker.address)


def test_producers_and_markers(run_java: RunJava, broker: Broker) -> None:
    run_java("sink.TransactionalProducersTest", broker.address)


def test_the_record_of_epochs(run_java: RunJava, broker: Broker) -> None:
    run_java("source.EpochLogTest", broker.address)


def test_output_rows(run_java: RunJava) -> None:
    run_java("records.OutputRowTest")


def test_blocks_of_records(run_java: RunJava) -> None:
    run_java("rows.BlockPackerTest")


def test_originals_of_dead_letters(run_java: RunJava, broker: Broker) -> None:
    state = broker.running()
    assert state is not None
    run_java("sink.OriginalRecordsTest", broker.address, str(state.process.pid))


def test_a_transaction_that_is_open_for_too_long(run_java: RunJava, broker: Broker) -> None:
    run_java("sink.TransactionTimeoutTest", broker.address)


def test_dead_letters_that_wait(run_java: RunJava) -> None:
    run_java("sink.OutboxWriterTest")


def test_reasons_of_dead_letters_are_those_of_the_app(run_java: RunJava) -> None:
    run_java("sink.PartitionCommitTest")


def test_what_fits_into_topics(run_java: RunJava) -> None:
    run_java("records.DeliveryCheckTest")


def test_limits_of_topics(run_java: RunJava, broker: Broker) -> None:
    run_java("source.KafkaLimitsTest", broker.address)
