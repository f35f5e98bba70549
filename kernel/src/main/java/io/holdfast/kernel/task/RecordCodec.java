package io.holdfast.kernel.task;

import java.util.List;
import org.apache.spark.sql.types.DataType;

/** Encodes the records of a key for nodes that store them, without the key, under which they are stored. */
public final class RecordCodec {
  private static final short NOWHERE = 0;
  private final RowCodec[] values;

  /**
   * @param values the type of the values, per input
   */
  public RecordCodec(List<DataType> values) {
    this.values = values.stream().map(RowCodec::new).toArray(RowCodec[]::new);
  }

  public byte[] encode(StreamRecord r) {
    return Envelope.encode(NOWHERE, r.port, r, r.order, null, values[r.port]);
  }

  public StreamRecord decode(byte[] stored, Object key) {
    int port = Envelope.port(stored);
    StreamRecord r = Envelope.decode(stored, null, values[port]);
    StreamRecord out = new StreamRecord(r.order, r.timestamp, key, r.value, null, r.headers);
    out.port = port;
    return out;
  }
}
