package io.holdfast.kernel.nodes.patterns;

import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.stores.RowExtra;
import io.holdfast.kernel.task.Envelope;
import io.holdfast.kernel.task.RowCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The partial matches of one key during a batch. */
final class KeyMatches {
  /** The key has no timer. */
  static final long NEVER = Long.MAX_VALUE;
  final byte[] key;
  List<PartialMatch> open = List.of();
  /** The number of the next record that one of them takes. */
  long number;
  /** The time of the key's timer. */
  long due = NEVER;
  boolean changed;

  KeyMatches(byte[] key) {
    this.key = key;
  }

  void become(Matcher.Outcome outcome) {
    open = outcome.open();
    number = open.isEmpty() ? 0 : number + (outcome.tookRecord() ? 1 : 0);
    changed |= outcome.changed();
  }

  /** Their stored form: a row, and behind it the headers of each match if any has some, with their length (4). */
  static final class Codec {
    private static final int MATCH_FIELDS = 7;
    private final StructType taken;
    private final RowCodec rows;

    Codec(Pattern pattern) {
      taken = pattern.type();
      StructType match = new StructType();
      for (String time : List.of("start", "latest", "first", "last")) {
        match = match.add(time, DataTypes.LongType, false);
      }
      match = match.add("step", DataTypes.IntegerType, false).add("count", DataTypes.IntegerType, false).add("taken", taken, false);
      rows = new RowCodec(new StructType()
          .add("number", DataTypes.LongType, false)
          .add("due", DataTypes.LongType, false)
          .add("open", new ArrayType(match, false), false));
    }

    byte[] encode(KeyMatches of) {
      Object[] all = of.open.stream().map(Codec::packed).toArray();
      byte[] row = rows.encode(new GenericInternalRow(new Object[] {of.number, of.due, new GenericArrayData(all)}));
      return RowExtra.with(row, headers(of.open));
    }

    private static byte[] headers(List<PartialMatch> open) {
      List<byte[]> all = new ArrayList<>(open.size());
      int size = 0;
      for (PartialMatch match : open) {
        byte[] headers = Envelope.encodeHeaders(match.headers());
        all.add(headers == null ? new byte[0] : headers);
        size += all.get(all.size() - 1).length;
      }
      if (size == 0) {
        return null;
      }
      ByteBuffer b = ByteBuffer.allocate(size + all.size() * Integer.BYTES);
      all.forEach(headers -> b.putInt(headers.length).put(headers));
      return b.array();
    }

    private static InternalRow packed(PartialMatch m) {
      return new GenericInternalRow(new Object[] {
        m.start(), m.latest(), m.first(), m.last(), m.step(), m.count(), new GenericInternalRow(m.taken())
      });
    }

    KeyMatches decode(byte[] key, byte[] stored) {
      InternalRow row = (InternalRow) rows.decode(stored, 0, RowExtra.rowLength(stored));
      byte[] extra = RowExtra.of(stored);
      ByteBuffer headers = extra == null ? null : ByteBuffer.wrap(extra);
      KeyMatches out = new KeyMatches(key);
      out.number = row.getLong(0);
      out.due = row.getLong(1);
      ArrayData all = row.getArray(2);
      out.open = new ArrayList<>(all.numElements());
      for (int i = 0; i < all.numElements(); i++) {
        out.open.add(unpacked(all.getStruct(i, MATCH_FIELDS), headers(headers)));
      }
      return out;
    }

    private static RawHeader[] headers(ByteBuffer all) {
      byte[] next = new byte[all == null ? 0 : all.getInt()];
      if (next.length == 0) {
        return null;
      }
      all.get(next);
      return Envelope.decodeHeaders(next);
    }

    private PartialMatch unpacked(InternalRow m, RawHeader[] headers) {
      InternalRow records = m.getStruct(6, taken.size());
      Object[] values = new Object[taken.size()];
      for (int i = 0; i < values.length; i++) {
        DataType type = taken.fields()[i].dataType();
        values[i] = records.isNullAt(i) ? null : records.get(i, type);
      }
      return new PartialMatch(m.getLong(0), m.getLong(1), m.getLong(2), m.getLong(3), m.getInt(4), m.getInt(5), values, headers);
    }
  }
}
