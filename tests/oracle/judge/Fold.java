package io.holdfast.judge;

/** An aggregate as Kafka Streams wants it: functions on a state, and what of the state is shown. */
interface Fold {
  Object initial();

  Object add(Object key, Object value, Object state);

  /** Takes back what `add` did, for tables that are grouped. */
  default Object subtract(Object key, Object value, Object state) {
    throw new UnsupportedOperationException("cannot be taken back: " + this);
  }

  /** One state of two sessions that became one. */
  default Object merge(Object key, Object earlier, Object later) {
    throw new UnsupportedOperationException("cannot be merged: " + this);
  }

  /** What a table shows of a state; null if the group is gone. */
  default Object shown(Object state) {
    return state;
  }

  /** Whether a state is not what is shown. */
  default boolean hidden() {
    return false;
  }
}
