package io.holdfast.kernel.source;

import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides whether a failure is a broker that does not answer, which is waited for, and logs when the wait begins and ends. */
final class BrokerWait {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerWait.class);
  private boolean told;

  /** Whether the failure is one that time heals: Kafka's own word for it, somewhere among the causes. */
  boolean explains(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof RetriableException
          && !(cause instanceof org.apache.kafka.common.errors.UnknownTopicOrPartitionException)) {
        if (!told) {
          LOG.warn("Kafka does not answer; waiting for it ({})", cause.toString());
        }
        told = true;
        return true;
      }
    }
    return false;
  }

  void over() {
    if (told) {
      LOG.warn("Kafka answers again");
    }
    told = false;
  }
}
