package io.holdfast.kernel.errors;

import org.apache.kafka.common.KafkaException;

/**
 * This producer was fenced: by another attempt of the task, which is then retried, or by another instance of the app. The driver finds out which,
 * when no attempt has succeeded.
 */
public final class FencedException extends KafkaException {
  public FencedException(String message, Throwable cause) {
    super(message, cause);
  }
}
