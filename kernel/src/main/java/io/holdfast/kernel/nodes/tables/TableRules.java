package io.holdfast.kernel.nodes.tables;

import io.holdfast.kernel.nodes.StateForm;
import io.holdfast.kernel.nodes.folds.Folder;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.StreamRecord;

/** What the kinds of tables with a store differ in: how a record changes a state, and its value, stored form and timestamp. */
abstract class TableRules extends Node {
  private StateForm form = StateForm.PLAIN;

  protected TableRules(String id) {
    super(id);
  }

  /** Uses the values and stored forms of this folder; must be called by the constructor. */
  protected final Folder formedBy(Folder folder) {
    form = folder;
    return folder;
  }

  /**
   * Adds the record to {@code e.state}; null state deletes the key.
   *
   * @return whether there is a change to emit
   */
  protected abstract boolean apply(Entry e, StreamRecord r);

  /** The value of a state, as consumers see it. */
  protected Object valueOf(Object state) {
    return form.valueOf(state);
  }

  /** The value of an entry after the change that the record made. */
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

  /** Whether this table skips the record. */
  protected boolean skips(StreamRecord r) {
    return false;
  }

  /** The beginning of a batch with records; most tables have nothing more to load. */
  protected void begin() {}

  /** The end of such a batch. */
  protected void end() {}

  /** Whether this task's copy writes the changelog. */
  protected boolean emitsChanges() {
    return true;
  }

  /** Whether states are the values of records, so that their sizes have not been checked yet. */
  protected boolean keepsValues() {
    return false;
  }

  /** Whether the table has no other state than its entries, so that a rehearsal can be taken over. */
  protected boolean hasOnlyEntries() {
    return false;
  }

  /** Whether a record has no key or is skipped. */
  protected final boolean isRefused(StreamRecord r) {
    return r.key == null || skips(r);
  }

  /** Writes a dead letter for a record without a key; counts one that is skipped. */
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
