package io.holdfast.kernel.stores;

/**
 * State could not be read or written, which is no fault of the current record: the batch fails and is repeated.
 *
 * <p>It is an Error, so that it is not caught as an exception of a record, which becomes a dead letter.
 */
public final class StateFailure extends Error {
  StateFailure(String message) {
    super(message);
  }

  StateFailure(Exception cause) {
    super(cause.getMessage(), cause);
  }
}
