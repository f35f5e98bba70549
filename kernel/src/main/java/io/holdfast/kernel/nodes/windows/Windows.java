package io.holdfast.kernel.nodes.windows;

import java.io.Serializable;

/** Which windows a time is in: the end is not part of a window. */
public interface Windows extends Serializable {
  /** Passes the windows of a time to a visitor, the earliest first. */
  void of(long time, Visitor visitor);

  /** How long after its start a window is stored. */
  long retention(long start, long end);

  /** About how long windows are stored. */
  long typicalRetention();

  /** Whether a time can be in more than one window. */
  boolean overlap();

  /** Takes a window. */
  interface Visitor {
    void window(long start, long end);
  }

  /** Windows of one size that begin every so often, counted from 1970, as Kafka Streams' TimeWindows. */
  record Aligned(long size, long advance, long retention) implements Windows {
    @Override
    public void of(long time, Visitor visitor) {
      for (long start = Math.max(0, time - size + advance) / advance * advance; start <= time; start += advance) {
        visitor.window(start, start + size);
      }
    }

    @Override
    public long retention(long start, long end) {
      return retention;
    }

    @Override
    public long typicalRetention() {
      return retention;
    }

    @Override
    public boolean overlap() {
      return advance < size;
    }
  }
}
