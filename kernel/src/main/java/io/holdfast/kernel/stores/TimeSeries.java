package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened to a key, in the order of time; what happened at the same time, in the order it came.
 *
 * <p>A short series is one row. A long one lies in pieces of some dozens of items, and the row only says which there are: adding
 * to a hot key or looking at a part of its time reads and writes few pieces, however many there are.
 */
public final class TimeSeries {
  private static final int FEWEST = 64;
  private static final int MOST_BYTES = 1 << 16;
  private final KeyValueStore store;
  private final byte[] key;
  private final List<TimeSeriesPage> pieces = new ArrayList<>();
  private final List<TimeSeriesPage> dropped = new ArrayList<>();
  private final boolean existed;
  private int nextPiece;
  private boolean changed;

  /** Something that happened: when, a value if there is one, and a note that may change. One longer than a byte keeps the item. */
  public static final class Item {
    public final long time;
    public final byte[] value;
    private byte[] note;

    Item(long time, byte[] value, byte[] note) {
      this.time = time;
      this.value = value;
      this.note = note;
    }

    public byte[] note() {
      return note;
    }

    void note(byte[] another) {
      note = another;
    }

    boolean isKept() {
      return note != null && note.length > 1;
    }
  }

  /** The series that a store has under a key. */
  public TimeSeries(KeyValueStore store, byte[] key) {
    this(store, key, store.get(key));
  }

  /** A series that the store is known not to have. */
  public static TimeSeries begun(KeyValueStore store, byte[] key) {
    return new TimeSeries(store, key, null);
  }

  private TimeSeries(KeyValueStore store, byte[] key, byte[] row) {
    this.store = store;
    this.key = key;
    existed = row != null;
    if (row != null && row[0] == TimeSeriesPage.ALONE) {
      pieces.add(TimeSeriesPage.alone(ByteBuffer.wrap(row, 1, row.length - 1)));
      nextPiece = pieces.get(0).number + 1;
    } else if (row != null) {
      ByteBuffer b = ByteBuffer.wrap(row, 1, row.length - 1);
      nextPiece = b.getInt();
      while (b.hasRemaining()) {
        pieces.add(TimeSeriesPage.described(b));
      }
    }
  }

  /** Whether the store had it before. */
  public boolean existed() {
    return existed;
  }

  public boolean isEmpty() {
    return pieces.isEmpty();
  }

  /** The time of the last item; there must be one. */
  public long last() {
    return pieces.get(pieces.size() - 1).last;
  }

  /** Adds an item behind all that happened until its time. */
  public void add(long time, byte[] value, byte[] note) {
    changed = true;
    if (pieces.isEmpty()) {
      pieces.add(new TimeSeriesPage(nextPiece++));
    }
    int at = Math.max(0, lastStartingUntil(time));
    TimeSeriesPage piece = opened(at);
    piece.insert(new Item(time, value, note));
    if (piece.count() > FEWEST + pieces.size() / 4 || piece.bytes > MOST_BYTES && piece.count() > 1) {
      pieces.add(at + 1, piece.split(nextPiece++, time));
    }
  }

  /** The items of a span of time, both ends included, in order. */
  public List<Item> between(long from, long to) {
    List<Item> out = new ArrayList<>();
    for (int i = firstEndingFrom(from); i < pieces.size() && pieces.get(i).first <= to; i++) {
      opened(i).collect(from, to, out);
    }
    return out;
  }

  /** The last item until a time, or null. */
  public Item floor(long time) {
    int at = lastStartingUntil(time);
    return at < 0 ? null : opened(at).floor(time);
  }

  /** The first item after a time, or null. */
  public Item higher(long time) {
    int at = firstEndingFrom(time == Long.MAX_VALUE ? time : time + 1);
    return at == pieces.size() || time == Long.MAX_VALUE ? null : opened(at).higher(time);
  }

  /** Takes the item out. */
  public void remove(Item item) {
    for (int i = firstEndingFrom(item.time); i < pieces.size(); i++) {
      if (opened(i).remove(item)) {
        dropIfEmpty(i);
        changed = true;
        return;
      }
    }
    throw new IllegalStateException("no such item");
  }

  /** Gives an item another note, or null for none. */
  public void note(Item item, byte[] note) {
    for (int i = firstEndingFrom(item.time); i < pieces.size(); i++) {
      if (opened(i).note(item, note)) {
        changed = true;
        return;
      }
    }
  }

  /** Forgets items before a time that no note keeps; some of a long series may stay a while longer. */
  public void dropBefore(long time) {
    for (int i = 0; i < pieces.size() && pieces.get(i).first < time;) {
      TimeSeriesPage piece = pieces.get(i);
      if (piece.isOpen() && piece.drop(time)) {
        changed = true;
      } else if (!piece.isOpen() && piece.last < time && piece.notes == 0) {
        piece.forget();
        changed = true;
      }
      i += dropIfEmpty(i) ? 0 : 1;
    }
  }

  private boolean dropIfEmpty(int i) {
    if (pieces.get(i).count() > 0) {
      return false;
    }
    dropped.add(pieces.remove(i));
    return true;
  }

  /** Writes what changed. */
  public void flush() {
    if (!changed) {
      return;
    }
    dropped.stream().filter(piece -> piece.stored).forEach(piece -> store.remove(place(piece)));
    if (pieces.isEmpty()) {
      if (existed) {
        store.remove(key);
      }
      return;
    }
    if (pieces.size() == 1 && pieces.get(0).isOpen()) {
      TimeSeriesPage only = pieces.get(0);
      if (only.stored) {
        store.remove(place(only));
      }
      store.put(key, only.packed(TimeSeriesPage.ALONE));
      return;
    }
    pieces.stream().filter(piece -> piece.changed || !piece.stored)
        .forEach(piece -> store.put(place(piece), piece.packed(TimeSeriesPage.APART)));
    ByteBuffer b = ByteBuffer.allocate(5 + pieces.size() * TimeSeriesPage.DESCRIPTION).put(TimeSeriesPage.APART).putInt(nextPiece);
    pieces.forEach(piece -> piece.describe(b));
    store.put(key, b.array());
  }

  private byte[] place(TimeSeriesPage piece) {
    return ByteBuffer.allocate(key.length + 5).put(key).put((byte) '#').putInt(piece.number).array();
  }

  private TimeSeriesPage opened(int i) {
    TimeSeriesPage piece = pieces.get(i);
    if (!piece.isOpen()) {
      piece.open(store.get(place(piece)));
    }
    return piece;
  }

  /** The last piece that begins at this time or before, or -1. */
  private int lastStartingUntil(long time) {
    int low = 0;
    int high = pieces.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pieces.get(middle).first <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** The first piece that ends at this time or after, or their number. */
  private int firstEndingFrom(long time) {
    int low = 0;
    int high = pieces.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pieces.get(middle).last < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
