package io.holdfast.kernel.workers;

import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** Whether Python's calendar, the years 1 to 9999, has the times and dates of a key or a value. */
public final class PythonCalendar {
  private static final long FIRST_DAY = -719_162;
  private static final long LAST_DAY = 2_932_896;
  private static final long DAY = 86_400_000_000L;
  private final Predicate<Object> fits;

  /**
   * @param type the type of the keys or values; without times in it there is nothing to check
   */
  public PythonCalendar(DataType type) {
    this.fits = of(type);
  }

  /** What is wrong with a key or a value, or null. */
  public String wrong(String part, Object value) {
    return fits == null || value == null || fits.test(value)
        ? null : "the " + part + " has a time outside of the years 1 to 9999, which Python does not have";
  }

  private static Predicate<Object> of(DataType type) {
    if (type instanceof TimestampType || type instanceof TimestampNTZType) {
      return micros -> (Long) micros >= FIRST_DAY * DAY && (Long) micros < (LAST_DAY + 1) * DAY;
    }
    if (type instanceof DateType) {
      return day -> (Integer) day >= FIRST_DAY && (Integer) day <= LAST_DAY;
    }
    if (type instanceof ArrayType array) {
      return ofElements(of(array.elementType()), array.elementType());
    }
    if (type instanceof MapType map) {
      return ofMap(ofElements(of(map.keyType()), map.keyType()), ofElements(of(map.valueType()), map.valueType()));
    }
    return type instanceof StructType struct ? ofFields(struct) : null;
  }

  private static Predicate<Object> ofElements(Predicate<Object> each, DataType type) {
    return each == null ? null : array -> {
      ArrayData all = (ArrayData) array;
      return IntStream.range(0, all.numElements()).allMatch(i -> all.isNullAt(i) || each.test(all.get(i, type)));
    };
  }

  private static Predicate<Object> ofMap(Predicate<Object> keys, Predicate<Object> values) {
    return keys == null && values == null ? null : map ->
        (keys == null || keys.test(((MapData) map).keyArray())) && (values == null || values.test(((MapData) map).valueArray()));
  }

  private static Predicate<Object> ofFields(StructType struct) {
    Predicate<Object> all = null;
    for (int i = 0; i < struct.length(); i++) {
      int at = i;
      DataType type = struct.apply(i).dataType();
      Predicate<Object> field = of(type);
      if (field != null) {
        Predicate<Object> test = row -> ((InternalRow) row).isNullAt(at) || field.test(((InternalRow) row).get(at, type));
        all = all == null ? test : all.and(test);
      }
    }
    return all;
  }
}
