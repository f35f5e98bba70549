package io.holdfast.kernel.nodes.windows;

import io.holdfast.kernel.task.NodeSpec;
import io.holdfast.kernel.task.StreamRecord;
import io.holdfast.kernel.task.Task;

/** A table of windows whose bounds do not depend on the records: tumbling, hopping, calendar. */
public final class TimeWindowTable extends WindowedTable {
  private final Windows kind;

  public TimeWindowTable(NodeSpec node, Task task, Windows kind, WindowOptions options) {
    super(node, task, options, kind.typicalRetention());
    this.kind = kind;
  }

  @Override
  protected void assign(StreamRecord r, KeyWindows of, long now) {
    kind.of(r.timestamp, (start, end) -> {
      if (closedAt(end) <= now) {
        late(r, start, end);
      } else {
        add(windows.get(of, start, end), r);
      }
    });
  }

  @Override
  protected long closedAt(long end) {
    return end + options.grace();
  }

  @Override
  protected long retention(long start, long end) {
    return kind.retention(start, end);
  }

  @Override
  protected boolean overlap() {
    return kind.overlap();
  }
}
