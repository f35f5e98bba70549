package io.holdfast.kernel.stores;

import java.util.Arrays;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** Many writes as RocksDB's own list of them, made here: one call of native code instead of one per row. */
final class WriteList {
  private static final byte DELETION = 0;
  private static final byte VALUE = 1;
  /** A sequence number, which RocksDB chooses itself, and how many writes there are. */
  private static final int HEADER = 8 + 4;
  private static final int LARGEST_LENGTH = 5;
  private static final int MORE = 0x80;
  private static final int FIRST_SIZE = 8 << 10;
  private byte[] bytes = new byte[FIRST_SIZE];
  private int size = HEADER;
  private int count;

  /** The bytes of all writes. */
  int size() {
    return size;
  }

  void put(byte[] key, byte[] value) {
    add(VALUE, key);
    append(value);
  }

  void delete(byte[] key) {
    add(DELETION, key);
  }

  private void add(byte kind, byte[] key) {
    room(1);
    bytes[size++] = kind;
    append(key);
    count++;
  }

  private void append(byte[] part) {
    room(LARGEST_LENGTH + part.length);
    int length = part.length;
    while (length >= MORE) {
      bytes[size++] = (byte) (length | MORE);
      length >>>= 7;
    }
    bytes[size++] = (byte) length;
    System.arraycopy(part, 0, bytes, size, part.length);
    size += part.length;
  }

  private void room(int more) {
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
  }

  /** Writes all, in order; the list is empty then. */
  void write(RocksDB db) throws RocksDBException {
    if (count == 0) {
      return;
    }
    for (int i = 0; i < Integer.BYTES; i++) {
      bytes[Long.BYTES + i] = (byte) (count >>> i * Byte.SIZE);
    }
    // The state is restored from the checkpoint, and not from RocksDB's log.
    try (WriteOptions options = new WriteOptions().setDisableWAL(true);
        WriteBatch batch = new WriteBatch(Arrays.copyOf(bytes, size))) {
      db.write(options, batch);
    }
    clear();
  }

  /** Discards what was not written. */
  void clear() {
    size = HEADER;
    count = 0;
  }
}
