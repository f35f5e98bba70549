package io.holdfast.kernel.source;

import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides whether a failure is a broker that does not answer, so that it is retried, and logs when the wait begins and ends. */
final class BrokerWait {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerWait.class);
  private final String purpose;
  private boolean waiting;

  /**
   * @param purpose the purpose of the request, for the log
   */
  BrokerWait(String purpose) {
    this.purpose = purpose;
  }

  /** Whether the failure has a cause that Kafka calls retriable. */
  boolean explains(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RetriableException
          && !(cause instanceof org.apache.kafka.common.errors.UnknownTopicOrPartitionException)) {
        if (!waiting) {
          LOG.warn("{}: Kafka does not answer, the request is retried until it does ({})", purpose, cause.toString());
        }
        waiting = true;
        return true;
      }
    }
    return false;
  }

  void over() {
    if (waiting) {
      LOG.warn("{}: Kafka answers again", purpose);
    }
    waiting = false;
  }
}
