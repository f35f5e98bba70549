package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.OutputRow;

/** Where one sink partition puts the records of one epoch; how they become durable together is its own affair. */
interface Outbox extends AutoCloseable {
  /** Takes a record; it may not have arrived before `commit` returns. */
  void send(OutputRow row);

  /** Makes every record sent durable, or fails. */
  PartitionCommit commit();

  /** Gives up what was sent and not committed, where that is possible. */
  void abort();

  @Override
  void close();
}
