package io.holdfast.kernel.stores;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The items of a key in the order of time; items of the same time in the order of arrival.
 *
 * <p>A short series is one row. A long one is stored in pages of some dozens of items, and the row is a directory of them: adding to a hot key or
 * reading a part of its time reads and writes few pages, however many there are.
 */
public final class TimeSeries {
  private static final int FEWEST = 64;
  private static final int MOST_BYTES = 1 << 16;
  private final KeyValueStore store;
  private final byte[] key;
  private final List<TimeSeriesPage> pages = new ArrayList<>();
  private final List<TimeSeriesPage> dropped = new ArrayList<>();
  private final boolean existed;
  private int nextPage;
  private boolean changed;

  /** An item: its time, a value if there is one, and a note that may change. A note longer than a byte retains the item. */
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

    boolean isRetained() {
      return note != null && note.length > 1;
    }
  }

  /** The stored series of a key. */
  public TimeSeries(KeyValueStore store, byte[] key) {
    this(store, key, store.get(key));
  }

  /** A new series of a key that is known to have none. */
  public static TimeSeries begun(KeyValueStore store, byte[] key) {
    return new TimeSeries(store, key, null);
  }

  private TimeSeries(KeyValueStore store, byte[] key, byte[] row) {
    this.store = store;
    this.key = key;
    existed = row != null;
    if (row != null && row[0] == TimeSeriesPage.INLINE) {
      pages.add(TimeSeriesPage.inline(ByteBuffer.wrap(row, 1, row.length - 1)));
      nextPage = pages.get(0).number + 1;
    } else if (row != null) {
      ByteBuffer b = ByteBuffer.wrap(row, 1, row.length - 1);
      nextPage = b.getInt();
      while (b.hasRemaining()) {
        pages.add(TimeSeriesPage.described(b));
      }
    }
  }

  /** Whether the store had it before. */
  public boolean existed() {
    return existed;
  }

  public boolean isEmpty() {
    return pages.isEmpty();
  }

  /** The time of the last item; there must be one. */
  public long last() {
    return pages.get(pages.size() - 1).last;
  }

  /** Adds an item behind all items up to its time. */
  public void add(long time, byte[] value, byte[] note) {
    changed = true;
    if (pages.isEmpty()) {
      pages.add(new TimeSeriesPage(nextPage++));
    }
    int at = Math.max(0, lastStartingUntil(time));
    TimeSeriesPage page = opened(at);
    page.insert(new Item(time, value, note));
    if (page.count() > FEWEST + pages.size() / 4 || page.bytes > MOST_BYTES && page.count() > 1) {
      pages.add(at + 1, page.split(nextPage++, time));
    }
  }

  /** The items of a span of time, both ends included, in order. */
  public List<Item> between(long from, long to) {
    List<Item> out = new ArrayList<>();
    for (int i = firstEndingFrom(from); i < pages.size() && pages.get(i).first <= to; i++) {
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
    return at == pages.size() || time == Long.MAX_VALUE ? null : opened(at).higher(time);
  }

  /** Removes the item. */
  public void remove(Item item) {
    for (int i = firstEndingFrom(item.time); i < pages.size(); i++) {
      if (opened(i).remove(item)) {
        dropIfEmpty(i);
        changed = true;
        return;
      }
    }
    throw new IllegalStateException("no such item");
  }

  /** Sets the note of an item, or null for none. */
  public void note(Item item, byte[] note) {
    for (int i = firstEndingFrom(item.time); i < pages.size(); i++) {
      if (opened(i).note(item, note)) {
        changed = true;
        return;
      }
    }
  }

  /** Drops items before a time that no note retains; some of a long series may stay longer. */
  public void dropBefore(long time) {
    for (int i = 0; i < pages.size() && pages.get(i).first < time;) {
      TimeSeriesPage page = pages.get(i);
      if (page.isOpen() && page.drop(time)) {
        changed = true;
      } else if (!page.isOpen() && page.last < time && page.notes == 0) {
        page.dropAll();
        changed = true;
      }
      i += dropIfEmpty(i) ? 0 : 1;
    }
  }

  private boolean dropIfEmpty(int i) {
    if (pages.get(i).count() > 0) {
      return false;
    }
    dropped.add(pages.remove(i));
    return true;
  }

  /** Writes what changed. */
  public void flush() {
    if (!changed) {
      return;
    }
    dropped.stream().filter(page -> page.stored).forEach(page -> store.remove(pageKey(page)));
    if (pages.isEmpty()) {
      if (existed) {
        store.remove(key);
      }
      return;
    }
    if (pages.size() == 1 && pages.get(0).isOpen()) {
      TimeSeriesPage only = pages.get(0);
      if (only.stored) {
        store.remove(pageKey(only));
      }
      store.put(key, only.packed(TimeSeriesPage.INLINE));
      return;
    }
    pages.stream().filter(page -> page.changed || !page.stored)
        .forEach(page -> store.put(pageKey(page), page.packed(TimeSeriesPage.SEPARATE)));
    ByteBuffer b = ByteBuffer.allocate(5 + pages.size() * TimeSeriesPage.DESCRIPTION).put(TimeSeriesPage.SEPARATE).putInt(nextPage);
    pages.forEach(page -> page.describe(b));
    store.put(key, b.array());
  }

  private byte[] pageKey(TimeSeriesPage page) {
    return ByteBuffer.allocate(key.length + 5).put(key).put((byte) '#').putInt(page.number).array();
  }

  private TimeSeriesPage opened(int i) {
    TimeSeriesPage page = pages.get(i);
    if (!page.isOpen()) {
      page.open(store.get(pageKey(page)));
    }
    return page;
  }

  /** The last page that begins at this time or before, or -1. */
  private int lastStartingUntil(long time) {
    int low = 0;
    int high = pages.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pages.get(middle).first <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** The first page that ends at this time or after, or the number of pages. */
  private int firstEndingFrom(long time) {
    int low = 0;
    int high = pages.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (pages.get(middle).last < time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
