package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.StateForm;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.StreamRecord;

/** How a record changes the state of a key in a versioned table. */
interface VersionedUpdate {
  /** The state after the record; null deletes the key. */
  Object take(Object state, StreamRecord r);

  /** The time of the new state; {@code before} is that of the state so far, if there is one. */
  default long time(Object state, long before, StreamRecord r) {
    return r.timestamp;
  }

  /** Whether the table skips a record. */
  default boolean skips(StreamRecord r) {
    return false;
  }

  /** The values and stored forms of its states. */
  default StateForm form() {
    return StateForm.PLAIN;
  }

  /** The record's value. */
  VersionedUpdate PLAIN = (state, r) -> r.value;

  /** The record's value, filtered or mapped. */
  static VersionedUpdate of(TableView.Change change) {
    return (state, r) -> change.of(r, r.key, r.value);
  }

  /** The state that a folder makes of the record alone. */
  static VersionedUpdate mapped(Folder folder) {
    return new VersionedUpdate() {
      @Override
      public Object take(Object state, StreamRecord r) {
        return r.value == null ? null : folder.add(null, r);
      }

      @Override
      public StateForm form() {
        return folder;
      }
    };
  }

  /** The records of the key, folded. */
  static VersionedUpdate of(Folder folder) {
    return new VersionedUpdate() {
      @Override
      public Object take(Object state, StreamRecord r) {
        return folder.add(state, r);
      }

      @Override
      public long time(Object state, long before, StreamRecord r) {
        return state == null ? r.timestamp : Math.max(before, r.timestamp);
      }

      @Override
      public boolean skips(StreamRecord r) {
        return r.value == null;
      }

      @Override
      public StateForm form() {
        return folder;
      }
    };
  }
}
