package io.holdfast.kernel.source;

import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker that does not answer is waited for; the query goes on when it is back. */
final class Outage {
  private static final Logger LOG = LoggerFactory.getLogger(Outage.class);
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
