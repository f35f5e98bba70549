package io.holdfast.kernel.task;

import io.holdfast.kernel.stores.Bytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.Platform;

/** Encodes a value as the bytes of a one-column UnsafeRow: its form in exchanges and stores. */
public final class RowCodec {
  /** The null bits, and the offset and size of the only column. */
  private static final int AROUND = 2 * Long.BYTES;
  private final DataType type;
  /** Made for the first value. */
  private UnsafeProjection projection;
  private final GenericInternalRow one = new GenericInternalRow(1);

  public RowCodec(DataType type) {
    this.type = type;
  }

  /** The value's row; valid until the next call. */
  UnsafeRow row(Object value) {
    if (projection == null) {
      projection = UnsafeProjection.create(new DataType[] {type});
    }
    one.update(0, value);
    return projection.apply(one);
  }

  public byte[] encode(Object value) {
    return bytes(value, 0);
  }

  /** The value's row behind a number. */
  public byte[] encode(long number, Object value) {
    byte[] out = bytes(value, Long.BYTES);
    ByteBuffer.wrap(out).putLong(number);
    return out;
  }

  /** The value's row behind a gap of the given size. */
  private byte[] bytes(Object value, int gap) {
    if (type instanceof StructType && value instanceof UnsafeRow struct) {
      return around(struct, gap);
    }
    UnsafeRow row = row(value);
    byte[] out = new byte[gap + row.getSizeInBytes()];
    row.writeToMemory(out, Platform.BYTE_ARRAY_OFFSET + gap);
    return out;
  }

  /** The same for a struct that is an UnsafeRow already: its bytes are copied behind the null bits and its offset and size. */
  private static byte[] around(UnsafeRow struct, int gap) {
    int size = struct.getSizeInBytes();
    byte[] out = new byte[gap + AROUND + size];
    long begin = Platform.BYTE_ARRAY_OFFSET + gap;
    Platform.putLong(out, begin + Long.BYTES, (long) AROUND << Integer.SIZE | size);
    struct.writeToMemory(out, begin + AROUND);
    return out;
  }

  /** A record's key as bytes, encoded once. */
  byte[] of(StreamRecord r) {
    if (r.keyBytes == null) {
      r.keyBytes = encode(r.key);
    }
    return r.keyBytes;
  }

  /** The keys that there are among the records, as bytes. */
  public List<byte[]> keysOf(List<StreamRecord> records) {
    Set<Bytes> found = new HashSet<>();
    List<byte[]> out = new ArrayList<>();
    for (StreamRecord r : records) {
      if (r.key != null && found.add(new Bytes(of(r)))) {
        out.add(r.keyBytes);
      }
    }
    return out;
  }

  public Object decode(byte[] bytes) {
    return decode(bytes, 0, bytes.length);
  }

  public Object decode(byte[] bytes, int offset, int length) {
    UnsafeRow row = new UnsafeRow(1);
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + (long) offset, length);
    return row.isNullAt(0) ? null : row.get(0, type);
  }
}
