package io.holdfast.kernel.serde;

import io.holdfast.kernel.Checks;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JsonToStructs;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.collection.immutable.Map$;

/** Random documents: nothing but BadRecord is thrown, values survive, and Spark's own parser agrees. */
public final class JsonFuzzTest {
  private static final Checks CHECK = new Checks();
  private static final String[] PIECES = {
    "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "null", "true", "1e", "-", "0", "1e400", "99999999999999999999", "\"n\":", "\"s\":{",
    ".", "\u0000", "é", "😀", "\\ud83d", " ", "\"NaN\"", "1.0", "1e-1000000000", "\"2026-01-01T00:00:00Z\"", "\"+\"", "/*", "'",
    "1e99999999999", "1e-99999999999", "9".repeat(1200), "0.".concat("1".repeat(900)), "-0.0", "\"12:30\"", "2026-01-01", "nan"};
  private static final StructType TYPE = StructType.fromDDL("n bigint, i int, d double, f float, b boolean, t timestamp, l timestamp_ntz, "
    + "day date, x decimal(20,5), raw binary, s struct<a:string,b:array<int>>, m map<string,array<double>>, k map<bigint,string>, "
    + "text string");

  private static final Pattern PARSERS_WORDS = Pattern.compile("CTRL-CHAR|\\(code|close marker|was expecting|root-level|Feature|it cannot be read");

  private JsonFuzzTest() {}

  public static void main(String[] args) throws Exception {
    long seed = args.length > 0 ? Long.parseLong(args[0]) : System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    survives(random);
    textSurvives(random);
    roundTrips(random);
    agreesWithSpark(random);
    agreesWithParser(random);
    CHECK.end();
  }

  private static void survives(Random random) {
    Serde serde = Serdes.json(TYPE);
    for (int i = 0; i < 300_000; i++) {
      byte[] document = switch (i % 3) {
        case 0 -> noise(random);
        case 1 -> pieces(random);
        default -> mutated(random, serde.encode(value(TYPE, random)));
      };
      try {
        serde.decode(document);
      } catch (BadRecord e) {
        if (e.getMessage() == null || e.getMessage().isEmpty() || PARSERS_WORDS.matcher(e.getMessage()).find()) {
          CHECK.equal("a reason for " + new String(document, StandardCharsets.UTF_8), "some text of our own", e.getMessage());
        }
      } catch (Throwable e) {
        CHECK.equal(new String(document, StandardCharsets.UTF_8), "BadRecord", e.toString());
      }
    }
  }

  private static void textSurvives(Random random) throws BadRecord {
    for (StructField field : TYPE.fields()) {
      if (!ScalarText.known(field.dataType())) {
        continue;
      }
      Serde serde = new TextSerde(field.dataType());
      for (int i = 0; i < 10_000; i++) {
        byte[] text = i % 2 == 0 ? noise(random) : PIECES[random.nextInt(PIECES.length)].getBytes(StandardCharsets.UTF_8);
        try {
          serde.decode(text);
        } catch (BadRecord e) {
          CHECK.equal("a reason", false, e.getMessage().isEmpty());
        } catch (Throwable e) {
          CHECK.equal(field.name() + " from " + new String(text, StandardCharsets.UTF_8), "BadRecord", e.toString());
        }
        Object value = value(field.dataType(), random);
        byte[] written = serde.encode(value);
        CHECK.equal(new String(written, StandardCharsets.UTF_8), shown(value), shown(serde.decode(written)));
      }
    }
  }

  private static Object shown(Object value) {
    return value instanceof byte[] bytes ? Arrays.toString(bytes) : value;
  }

  private static void roundTrips(Random random) throws BadRecord {
    Serde serde = Serdes.json(TYPE);
    UnsafeProjection unsafe = UnsafeProjection.create(TYPE);
    for (int i = 0; i < 30_000; i++) {
      InternalRow row = (InternalRow) value(TYPE, random);
      byte[] document = serde.encode(row);
      InternalRow back = (InternalRow) serde.decode(document);
      String shown = new String(document, StandardCharsets.UTF_8);
      CHECK.equal(shown, unsafe.apply(row).copy(), unsafe.apply(back).copy());
      CHECK.equal("unsafe " + shown, shown, new String(serde.encode(unsafe.apply(row)), StandardCharsets.UTF_8));
    }
  }

  private static void agreesWithSpark(Random random) throws BadRecord {
    // Spark's parser leaves the keys of a map with other than string keys as strings.
    StructType type = new StructType(Arrays.stream(TYPE.fields()).filter(f -> !f.name().equals("k")).toArray(StructField[]::new));
    Serde serde = Serdes.json(type);
    UnsafeProjection unsafe = UnsafeProjection.create(type);
    JsonToStructs spark = new JsonToStructs(
      type, Map$.MODULE$.empty(), new BoundReference(0, DataTypes.StringType, true), Option.apply("UTC"), false);
    for (int i = 0; i < 5_000; i++) {
      byte[] document = serde.encode(value(type, random));
      InternalRow wanted = (InternalRow) spark.eval(new GenericInternalRow(new Object[] {UTF8String.fromBytes(document)}));
      CHECK.equal("as Spark reads " + new String(document, StandardCharsets.UTF_8),
        unsafe.apply(wanted).copy(), unsafe.apply((InternalRow) serde.decode(document)).copy());
    }
  }

  /** The fast reader of plain documents returns the same as the parser, or leaves the document to it. */
  private static void agreesWithParser(Random random) {
    StructType wide = StructType.fromDDL("n bigint, i int, h smallint, y tinyint, d double, b boolean, text string, more string");
    StructType type = StructType.fromDDL("n bigint not null, text string, i int not null, h smallint, y tinyint, d double, b boolean");
    Serde writer = Serdes.json(wide);
    JsonDecoder decoder = new JsonDecoder(type);
    for (int i = 0; i < 300_000; i++) {
      byte[] document = i % 5 == 4 ? pieces(random) : spaced(random, plain(random, writer, wide));
      byte[] given = i % 2 == 0 ? document : mutated(random, document);
      CHECK.equal(new String(given, StandardCharsets.UTF_8), outcome(() -> decoder.parsed(given)), outcome(() -> decoder.decode(given)));
    }
  }

  private static byte[] plain(Random random, Serde writer, StructType type) {
    GenericInternalRow row = (GenericInternalRow) value(type, random);
    for (int field = 6; field < 8 && random.nextInt(5) > 0; field++) {
      row.update(field, UTF8String.fromString(PIECES[random.nextInt(12)].replaceAll("[^a-z]", "") + random.nextInt(100)));
    }
    return writer.encode(row);
  }

  private static byte[] spaced(Random random, byte[] document) {
    String text = new String(document, StandardCharsets.UTF_8);
    return (random.nextBoolean() ? text : text.replace(",", " ,\n\t").replace(":", ": ") + "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  /** How reading ends. */
  private interface Reading {
    Object read() throws BadRecord;
  }

  private static String outcome(Reading reading) {
    try {
      return String.valueOf(reading.read());
    } catch (BadRecord e) {
      return e.getMessage();
    }
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(30)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] pieces(Random random) {
    StringBuilder text = new StringBuilder("{");
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] mutated(Random random, byte[] document) {
    byte[] bytes = document.clone();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(bytes.length);
      byte[] piece = PIECES[random.nextInt(PIECES.length)].getBytes(StandardCharsets.UTF_8);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        case 2 -> System.arraycopy(piece, 0, bytes, at, Math.min(piece.length, bytes.length - at));
        default -> bytes[at] = bytes[random.nextInt(bytes.length)];
      }
    }
    return bytes;
  }

  private static Object value(DataType type, Random random) {
    if (type instanceof StructType struct) {
      Object[] values = new Object[struct.length()];
      for (int i = 0; i < values.length; i++) {
        StructField field = struct.fields()[i];
        values[i] = random.nextInt(8) == 0 ? null : value(field.dataType(), random);
      }
      return new GenericInternalRow(values);
    } else if (type instanceof ArrayType array) {
      return new GenericArrayData(values(array.elementType(), random, random.nextInt(4), true));
    } else if (type instanceof MapType map) {
      int size = random.nextInt(2);
      return new ArrayBasedMapData(new GenericArrayData(values(map.keyType(), random, size, false)),
        new GenericArrayData(values(map.valueType(), random, size, true)));
    }
    return scalar(type, random);
  }

  private static Object[] values(DataType type, Random random, int size, boolean nulls) {
    Object[] values = new Object[size];
    for (int i = 0; i < size; i++) {
      values[i] = nulls && random.nextInt(8) == 0 ? null : value(type, random);
    }
    return values;
  }

  private static Object scalar(DataType type, Random random) {
    if (type instanceof LongType) {
      return random.nextLong() >> random.nextInt(64);
    } else if (type instanceof IntegerType) {
      return random.nextInt() >> random.nextInt(32);
    } else if (type instanceof DoubleType) {
      double any = Double.longBitsToDouble(random.nextLong());
      return random.nextBoolean() || Double.isNaN(any) ? random.nextInt(1000) / 8.0 : any;
    } else if (type instanceof FloatType) {
      float any = Float.intBitsToFloat(random.nextInt());
      return Float.isNaN(any) ? Float.NaN : any;
    } else if (type instanceof BooleanType) {
      return random.nextBoolean();
    } else if (type instanceof ShortType) {
      return (short) random.nextInt();
    } else if (type instanceof ByteType) {
      return (byte) random.nextInt();
    } else if (type instanceof DateType) {
      return random.nextInt(2_000_000) - 700_000;
    } else if (type instanceof DecimalType decimal) {
      return Decimal.apply(BigDecimal.valueOf(random.nextLong() >> random.nextInt(64), decimal.scale()), decimal.precision(), decimal.scale());
    } else if (type instanceof BinaryType) {
      return noise(random);
    } else if (type instanceof StringType) {
      return UTF8String.fromString(random.ints(random.nextInt(8), 0, 0x1000).collect(
        StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).append(random.nextInt(9) == 0 ? "😀" : "").toString());
    }
    long micros = (random.nextLong() % 200_000_000_000L) * 1_000_000L / 3;
    return random.nextBoolean() ? micros - Math.floorMod(micros, 1_000_000L) : micros;
  }
}
