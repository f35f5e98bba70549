package io.holdfast.kernel.stores;

/**
 * State could not be read or written, which is no fault of the record at hand: the batch fails and comes again.
 *
 * <p>It is an error, so that nothing takes it for an exception of a record and makes a dead letter of it.
 */
public final class StateFailure extends Error {
  StateFailure(String message) {
    super(message);
  }

  StateFailure(Exception cause) {
    super(cause.getMessage(), cause);
  }
}
