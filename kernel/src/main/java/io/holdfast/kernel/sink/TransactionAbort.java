package io.holdfast.kernel.sink;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Aborts the transaction of a writer that failed: while it is open, readers of committed records see nothing behind it. */
final class TransactionAbort {
  private static final Logger LOG = LoggerFactory.getLogger(TransactionAbort.class);
  /** The timeout of an abort; after it the next producer with the same transactional id, or the broker, aborts the transaction. */
  private static final long WAIT_SECONDS = 5;

  private TransactionAbort() {}

  /** Aborts and closes; waits for it until a timeout, also in a task that was killed. */
  static void now(TransactionalProducers.PooledProducer pooled) {
    FutureTask<Void> work = new FutureTask<>(() -> {
      try {
        pooled.producer.abortTransaction();
      } finally {
        TransactionalProducers.discard(pooled);
      }
      return null;
    });
    Thread thread = new Thread(work, "holdfast-abort");
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = Thread.interrupted();
    try {
      work.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException failed) {
      // It was fenced, or the broker does not answer: the next producer aborts the transaction.
      LOG.warn("producer {}: its transaction is not aborted yet ({}); the next producer of its sink partition aborts it", pooled.name, failed.toString());
    } catch (InterruptedException again) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
