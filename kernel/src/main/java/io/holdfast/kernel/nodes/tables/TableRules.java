package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.StateForm;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.StreamRecord;

/** What kinds of kept tables differ in: what a record does to a key, and how states are shown, stored and timed. */
abstract class TableRules extends Node {
  private StateForm form = StateForm.PLAIN;

  protected TableRules(String id) {
    super(id);
  }

  /** States are shown and stored as this folder says; to be called by the constructor. */
  protected final Folder formedBy(Folder folder) {
    form = folder;
    return folder;
  }

  /**
   * Takes the record into {@code e.state}; null state deletes the key.
   *
   * @return whether there is a change to tell of
   */
  protected abstract boolean apply(Entry e, StreamRecord r);

  /** The value that others see of a state. */
  protected Object valueOf(Object state) {
    return form.valueOf(state);
  }

  /** The value that others see of an entry after the change that the record made. */
  protected Object shown(Entry e, StreamRecord r) {
    return e.state == null ? null : valueOf(e.state);
  }

  /** The stored form of a state. */
  protected Object packed(Object state) {
    return form.pack(state);
  }

  /** The state out of its stored form. */
  protected Object unpacked(Object stored) {
    return form.unpack(stored);
  }

  /** The timestamp of the new value; by default the latest record that went into it. */
  protected long timestampOf(Entry e, StreamRecord r) {
    return e.state == null ? r.timestamp : Math.max(e.timestamp, r.timestamp);
  }

  /** What to do with a record that this table has no use for; false if it is to be processed. */
  protected boolean skips(StreamRecord r) {
    return false;
  }

  /** The beginning of a batch with records; most tables have nothing else to read. */
  protected void begin() {}

  /** The end of such a batch. */
  protected void end() {}

  /** Whether this task's copy writes the changelog. */
  protected boolean emitsChanges() {
    return true;
  }

  /** Whether states are values, each in its own right: nothing has looked at how large they are. */
  protected boolean keepsValues() {
    return false;
  }

  /** Whether a batch is nothing but what its records do to their keys. */
  protected boolean isPlain() {
    return false;
  }

  /** Whether a record is of no use here. */
  protected final boolean isRefused(StreamRecord r) {
    return r.key == null || skips(r);
  }

  /** Tells of a record that is of no use here. */
  protected final void refuse(StreamRecord r) {
    if (r.key == null) {
      task.deadLetter(this, r, "the key is null; a table has no place for it");
    } else {
      task.skip(this, r);
    }
  }

  /** The value of a state, or null if it has none. */
  protected final Object valueOrNothing(Object state) {
    try {
      return valueOf(state);
    } catch (ArithmeticException noValue) {
      return null;
    }
  }
}
