package io.holdfast.kernel.errors;

import org.apache.kafka.common.KafkaException;

/**
 * Another producer has taken the place of this one: that of another attempt of the task, which is tried again then; or that of
 * another instance of the app. The driver finds out which, when no attempt has succeeded.
 */
public final class FencedException extends KafkaException {
  public FencedException(String message, Throwable cause) {
    super(message, cause);
  }
}
