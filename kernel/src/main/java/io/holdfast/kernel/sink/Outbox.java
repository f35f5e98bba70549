package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;

/** Sends the records of one sink partition and epoch, and makes them durable. */
interface Outbox extends AutoCloseable {
  /** Sends a record; it may not be acknowledged before `commit` returns. */
  void send(OutputRow row);

  /** Makes all sent records durable, or fails. */
  PartitionCommit commit();

  /** Aborts what was sent and not committed, where that is possible. */
  void abort();

  @Override
  void close();
}
