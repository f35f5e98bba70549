package io.holdfast.kernel.nodes;

import io.holdfast.kernel.records.RawHeader;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;

/** A record's headers as expressions see them. */
public final class HeaderMap {
  private HeaderMap() {}

  /** The last header of a name wins, as Kafka's lastHeader does; a map must not hold a name twice. */
  public static MapData of(RawHeader[] headers) {
    int n = headers == null ? 0 : headers.length;
    Map<UTF8String, byte[]> last = new LinkedHashMap<>();
    for (int i = 0; i < n; i++) {
      last.put(UTF8String.fromString(headers[i].name()), headers[i].value());
    }
    return new ArrayBasedMapData(
        new GenericArrayData(last.keySet().toArray()), new GenericArrayData(last.values().toArray()));
  }
}
