package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.nodes.QueryableStore;
import io.holdfast.kernel.task.Node;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.TableReader;
import java.util.List;

/** The base of tables with a value per key and window, and of sessions: how a batch is processed. */
public abstract class TimedTable extends Node implements TableReader, QueryableStore {
  protected TimedTable(String id) {
    super(id);
  }

  /** The beginning of a task's batch; there may be no records in it. */
  protected abstract void begin();

  /** Before the first record. */
  protected abstract void load(List<StreamRecord> records);

  /** Takes a record that has a key and a value. */
  protected abstract void take(StreamRecord r);

  /** After the last record. */
  protected abstract void finish();

  @Override
  protected final void run(List<StreamRecord> records) {
    begin();
    if (records.isEmpty()) {
      return;
    }
    load(records);
    for (int i = 0; i < records.size(); i++) {
      StreamRecord r = records.get(i);
      if (r.key == null) {
        task.deadLetter(this, r, "the key is null; a table has no place for it");
      } else if (r.value == null) {
        task.skip(this, r);
      } else {
        take(r);
      }
    }
    finish();
  }
}
