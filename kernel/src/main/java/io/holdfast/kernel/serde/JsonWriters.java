package io.holdfast.kernel.serde;

import java.util.Base64;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The JSON writer of each type. */
final class JsonWriters {
  private JsonWriters() {}

  static ValueWriter of(DataType type) {
    if (type instanceof StructType struct) {
      return new StructWriter(struct);
    } else if (type instanceof ArrayType array) {
      ValueWriter item = of(array.elementType());
      return (values, index, out) -> array(values.getArray(index), item, out);
    } else if (type instanceof MapType map) {
      ValueWriter key = key(map.keyType());
      ValueWriter value = of(map.valueType());
      return (values, index, out) -> map(values.getMap(index), key, value, out);
    } else if (type instanceof StringType) {
      return (values, index, out) -> out.quoted(values.getUTF8String(index));
    } else if (type instanceof BinaryType) {
      return JsonWriters::binary;
    } else if (type instanceof DoubleType) {
      return (values, index, out) -> floating(values.getDouble(index), NumberText.text(values.getDouble(index)), out);
    } else if (type instanceof FloatType) {
      return (values, index, out) -> floating(values.getFloat(index), NumberText.text(values.getFloat(index)), out);
    } else if (type instanceof TimestampType || type instanceof TimestampNTZType || type instanceof DateType) {
      return quoted(TextWriters.of(type));
    } else if (type instanceof NullType) {
      return (values, index, out) -> out.put(StructWriter.NULL);
    }
    return TextWriters.of(type);
  }

  private static ValueWriter key(DataType type) {
    return type instanceof StringType ? of(type) : quoted(TextWriters.of(type));
  }

  private static ValueWriter quoted(ValueWriter text) {
    return (values, index, out) -> {
      out.put('"');
      text.write(values, index, out);
      out.put('"');
    };
  }

  private static void binary(SpecializedGetters values, int index, Utf8Buffer out) {
    out.put('"');
    out.put(Base64.getEncoder().encode(values.getBinary(index)));
    out.put('"');
  }

  private static void floating(double value, String text, Utf8Buffer out) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      out.put('"');
      out.ascii(Double.toString(value));
      out.put('"');
    } else {
      out.ascii(text);
    }
  }

  private static void array(ArrayData items, ValueWriter item, Utf8Buffer out) {
    out.put('[');
    for (int i = 0; i < items.numElements(); i++) {
      if (i > 0) {
        out.put(',');
      }
      value(items, i, item, out);
    }
    out.put(']');
  }

  private static void map(MapData entries, ValueWriter key, ValueWriter value, Utf8Buffer out) {
    ArrayData keys = entries.keyArray();
    ArrayData values = entries.valueArray();
    out.put('{');
    for (int i = 0; i < entries.numElements(); i++) {
      if (i > 0) {
        out.put(',');
      }
      key.write(keys, i, out);
      out.put(':');
      value(values, i, value, out);
    }
    out.put('}');
  }

  private static void value(ArrayData items, int index, ValueWriter item, Utf8Buffer out) {
    if (items.isNullAt(index)) {
      out.put(StructWriter.NULL);
    } else {
      item.write(items, index, out);
    }
  }
}
