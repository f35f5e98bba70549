package io.holdfast.kernel.stores;

import io.holdfast.kernel.stores.TimeSeries.Item;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Items of a {@link TimeSeries} that are read and written together. */
final class TimeSeriesPage {
  static final byte INLINE = 1;
  static final byte SEPARATE = 2;
  static final int DESCRIPTION = 28;
  private static final int HAS_VALUE = 1;
  private static final int HAS_NOTE = 2;
  final int number;
  long first = Long.MAX_VALUE;
  long last = Long.MIN_VALUE;
  int notes;
  int bytes;
  boolean changed;
  /** Whether there is a row of its own. */
  boolean stored;
  private int count;
  private List<Item> items;

  TimeSeriesPage(int number) {
    this.number = number;
    this.items = new ArrayList<>();
  }

  /** The only page of a short series, which is in the series' own row. */
  static TimeSeriesPage inline(ByteBuffer b) {
    TimeSeriesPage page = new TimeSeriesPage(b.getInt());
    page.read(b);
    return page;
  }

  /** A page with a row of its own, which was not read yet. */
  static TimeSeriesPage described(ByteBuffer b) {
    TimeSeriesPage page = new TimeSeriesPage(b.getInt());
    page.items = null;
    page.stored = true;
    page.first = b.getLong();
    page.last = b.getLong();
    page.count = b.getInt();
    page.notes = b.getInt();
    return page;
  }

  void describe(ByteBuffer b) {
    b.putInt(number).putLong(first).putLong(last).putInt(count()).putInt(notes);
  }

  boolean isOpen() {
    return items != null;
  }

  int count() {
    return items == null ? count : items.size();
  }

  void open(byte[] row) {
    items = new ArrayList<>(count);
    notes = 0;
    ByteBuffer b = ByteBuffer.wrap(row, 5, row.length - 5);
    read(b);
  }

  /** Drops all items without reading the row. */
  void dropAll() {
    items = new ArrayList<>();
  }

  private void read(ByteBuffer b) {
    while (b.hasRemaining()) {
      long time = b.getLong();
      int flags = b.get();
      byte[] value = (flags & HAS_VALUE) == 0 ? null : part(b);
      byte[] note = (flags & HAS_NOTE) == 0 ? null : part(b);
      append(new Item(time, value, note));
    }
  }

  private static byte[] part(ByteBuffer b) {
    byte[] out = new byte[b.getInt()];
    b.get(out);
    return out;
  }

  private void append(Item item) {
    items.add(item);
    count(item);
  }

  private void count(Item item) {
    first = Math.min(first, item.time);
    last = Math.max(last, item.time);
    notes += item.isRetained() ? 1 : 0;
    bytes += size(item);
  }

  private static int size(Item item) {
    return 9 + (item.value == null ? 0 : 4 + item.value.length) + (item.note() == null ? 0 : 4 + item.note().length);
  }

  void insert(Item item) {
    items.add(position(item.time), item);
    count(item);
    changed = true;
  }

  /** The index at which an item of this time is inserted: behind all items up to it. */
  private int position(long time) {
    int low = 0;
    int high = items.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (items.get(middle).time <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  void collect(long from, long to, List<Item> out) {
    for (int i = position(from == Long.MIN_VALUE ? from : from - 1); i < items.size() && items.get(i).time <= to; i++) {
      out.add(items.get(i));
    }
  }

  Item floor(long time) {
    int i = position(time) - 1;
    return i < 0 ? null : items.get(i);
  }

  Item higher(long time) {
    int i = position(time);
    return i == items.size() ? null : items.get(i);
  }

  boolean remove(Item item) {
    if (!items.remove(item)) {
      return false;
    }
    recount();
    return true;
  }

  boolean note(Item item, byte[] note) {
    if (!items.contains(item)) {
      return false;
    }
    notes -= item.isRetained() ? 1 : 0;
    bytes -= size(item);
    item.note(note);
    notes += item.isRetained() ? 1 : 0;
    bytes += size(item);
    changed = true;
    return true;
  }

  /** Drops items before a time that no note retains. */
  boolean drop(long time) {
    if (!items.removeIf(item -> item.time < time && !item.isRetained())) {
      return false;
    }
    recount();
    return true;
  }

  private void recount() {
    changed = true;
    first = Long.MAX_VALUE;
    last = Long.MIN_VALUE;
    notes = 0;
    bytes = 0;
    items.forEach(this::count);
  }

  /** Splits off the later half, or only the last item if that is the new one: as time advances, full pages stay full. */
  TimeSeriesPage split(int newNumber, long added) {
    int at = added >= last ? items.size() - 1 : items.size() / 2;
    TimeSeriesPage later = new TimeSeriesPage(newNumber);
    items.subList(at, items.size()).forEach(later::append);
    later.changed = true;
    items.subList(at, items.size()).clear();
    recount();
    return later;
  }

  byte[] packed(byte kind) {
    ByteBuffer b = ByteBuffer.allocate(5 + bytes).put(kind).putInt(number);
    items.forEach(item -> {
      b.putLong(item.time).put((byte) ((item.value == null ? 0 : HAS_VALUE) | (item.note() == null ? 0 : HAS_NOTE)));
      put(b, item.value);
      put(b, item.note());
    });
    return b.array();
  }

  private static void put(ByteBuffer b, byte[] part) {
    if (part != null) {
      b.putInt(part.length).put(part);
    }
  }
}
