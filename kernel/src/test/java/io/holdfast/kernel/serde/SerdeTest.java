package io.holdfast.kernel.serde;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.holdfast.kernel.Checks;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What each serde accepts, refuses and writes. */
public final class SerdeTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Checks CHECK = new Checks();

  private SerdeTest() {}

  public static void main(String[] args) throws Exception {
    types();
    records();
    mistakes();
    malformedDocuments();
    scalars();
    text();
    binaryIntegers();
    defaults();
    unsafeRows();
    CHECK.end();
  }

  private static void types() throws Exception {
    CHECK.equal("ddl", DataTypes.LongType, type("{\"ddl\": \"bigint\"}"));
    CHECK.equal("ddl of a record", DataType.fromDDL("a int, b string"), type("{\"ddl\": \"a int, b string\"}"));
    CHECK.equal("ddl inside an array inside a struct", DataType.fromDDL("xs array<struct<a:int not null>>"),
      type("{\"type\":\"struct\",\"fields\":[{\"name\":\"xs\",\"nullable\":true,\"metadata\":{},\"type\":"
        + "{\"type\":\"array\",\"containsNull\":true,\"elementType\":{\"ddl\":\"a int not null\"}}}]}"));
    CHECK.equal("ddl in a map", DataType.fromDDL("map<string,decimal(9,2)>"), type("{\"type\":\"map\",\"keyType\":"
      + "{\"ddl\":\"string\"},\"valueType\":{\"ddl\":\"decimal(9,2)\"},\"valueContainsNull\":true}"));
    CHECK.equal("scalar", DataTypes.TimestampType, type("\"timestamp\""));
  }

  private static void records() throws Exception {
    again("a bigint not null, b string", "{\"a\":1,\"b\":\"x\"}", "{\"a\":1,\"b\":\"x\"}");
    again("a bigint not null, b string", "{\"b\":null,\"extra\":{\"deep\":[1,{}]},\"a\":1}", "{\"a\":1,\"b\":null}");
    again("a bigint not null, b string", "{\"a\":1}", "{\"a\":1,\"b\":null}");
    again("a bigint", "{\"a\":1,\"a\":2}", "{\"a\":2}");
    again("a bigint", " \n{ \"a\" : 3.0 }\t", "{\"a\":3}");
    again("a bigint", "{\"a\":3e2}", "{\"a\":300}");
    again("a bigint", "null", null);
    again("a bigint", "{}", "{\"a\":null}");
    again("s struct<>", "{\"s\":{}}", "{\"s\":{}}");
    again("s string", "{\"s\":\"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\\u0001/\"}", "{\"s\":\"é😀\\n\\\"\\\\\\u0001/\"}");
    again("m map<string,bigint>", "{\"m\":{\"a\":1,\"b\":null,\"a\":3}}", "{\"m\":{\"a\":3,\"b\":null}}");
    again("m map<int,string>", "{\"m\":{\"-7\":\"x\"}}", "{\"m\":{\"-7\":\"x\"}}");
    again("xs array<struct<n:int>>", "{\"xs\":[{\"n\":1},null,{}]}", "{\"xs\":[{\"n\":1},null,{\"n\":null}]}");
  }

  private static void mistakes() throws Exception {
    bad("score bigint", "{\"score\":\"x\"}", "field 'score': wanted a long, got the string \"x\"");
    bad("score bigint", "{\"score\":\"7\"}", "field 'score': wanted a long, got the string \"7\"");
    bad("player_id bigint not null", "{}", "missing required field 'player_id'");
    bad("player_id bigint not null", "{\"player_id\":null}", "field 'player_id': null in a required field");
    bad("p struct<id:bigint not null>", "{\"p\":{}}", "missing required field 'p.id'");
    bad("n bigint", "{\"n\":99999999999999999999}", "field 'n': 99999999999999999999 is out of range for long");
    bad("n bigint", "{\"n\":1e30}", "field 'n': 1e30 is out of range for long");
    bad("n bigint", "{\"n\":1e999999999}", "field 'n': 1e999999999 is out of range for long");
    bad("n int", "{\"n\":2147483648}", "field 'n': 2147483648 is out of range for integer");
    bad("n bigint", "{\"n\":1.5}", "field 'n': wanted a long, got the number 1.5");
    bad("n bigint", "{\"n\":true}", "field 'n': wanted a long, got the boolean true");
    bad("n bigint", "{\"n\":[1]}", "field 'n': wanted a long, got an array");
    bad("d double", "{\"d\":1e999}", "field 'd': 1e999 is out of range for double");
    bad("f float", "{\"f\":1e39}", "field 'f': 1e39 is out of range for float");
    bad("d decimal(5,2)", "{\"d\":1000}", "field 'd': 1000 is out of range for decimal(5,2)");
    bad("d decimal(5,2)", "{\"d\":999.999}", "field 'd': 999.999 is out of range for decimal(5,2)");
    bad("d decimal(5,2)", "{\"d\":1e1000000000}", "field 'd': 1E+1000000000 is out of range for decimal(5,2)");
    bad("b boolean", "{\"b\":1}", "field 'b': wanted a boolean, got the number 1");
    bad("s string", "{\"s\":1}", "field 's': wanted a string, got the number 1");
    bad("s string", "{\"s\":\"\\ud800\"}", "field 's': wanted text, got half of a surrogate pair (\\ud800)");
    bad("b binary", "{\"b\":\"?\"}", "field 'b': wanted base64 text, got the string \"?\"");
    bad("t timestamp", "{\"t\":\"noon\"}",
      "field 't': wanted a timestamp (\"2026-01-31T12:00:00Z\" or milliseconds), got the string \"noon\"");
    bad("t timestamp", "{\"t\":\"12:30\"}",
      "field 't': wanted a timestamp (\"2026-01-31T12:00:00Z\" or milliseconds), got the string \"12:30\"");
    bad("t timestamp", "{\"t\":9223372036854775807}", "field 't': 9223372036854775807 is out of range for timestamp");
    bad("d date", "{\"d\":\"2026-02-30\"}", "field 'd': wanted a date (\"2026-01-31\"), got the string \"2026-02-30\"");
    bad("xs array<struct<n:int>>", "{\"xs\":[{},{\"n\":\"q\"}]}", "field 'xs[1].n': wanted an integer, got the string \"q\"");
    bad("xs array<array<int>>", "{\"xs\":[[1,{}]]}", "field 'xs[0][1]': wanted an integer, got an object");
    bad("m map<string,int>", "{\"m\":{\"k\":false}}", "field 'm.k': wanted an integer, got the boolean false");
    bad("a int", "[1]", "wanted an object, got an array");
    bad("a int", "", "malformed JSON at byte 0: there is no value");
    malformed(new byte[] {'{', '"', 'b', '"', ':', '"', (byte) 0xC0, (byte) 0x80, '"', '}'});
    malformed(new byte[] {'{', '"', 'b', '"', ':', '"', (byte) 0xC3, '"', '}'});
    malformed(new byte[] {0, '{', 0, '}'});
  }

  private static void malformedDocuments() throws Exception {
    String value = "a value; a text needs double quotes";
    mistake("{\"a\":1} x", 8, "found \"x\", wanted " + value);
    mistake("{\"a\":1}{}", 7, "something follows the value");
    mistake("{\"a\":1", 6, "it ends inside of an object: a } is missing");
    mistake("{\"b\":[1,", 8, "it ends inside of an array: a ] is missing");
    mistake("{\"b\":\"x", 7, "it ends inside of a text: a double quote is missing");
    mistake("{\"b", 3, "it ends inside of a text: a double quote is missing");
    mistake("{\"b\":", 5, "it ends inside of an object: a } is missing");
    mistake("{'a':1}", 1, "found \"'\", wanted the name of a field in double quotes");
    mistake("{a:1}", 1, "found \"a\", wanted the name of a field in double quotes");
    mistake("{\"a\" 1}", 5, "found \"1\", wanted : after the name of a field");
    mistake("{\"a\":1 \"b\":2}", 7, "found a double quote, wanted , or } after a field");
    mistake("{\"b\":[1 2]}", 8, "found \"2\", wanted , or ] after an item");
    mistake("{\"b\":[1}", 7, "found }, wanted ]");
    mistake("{\"b\":hello}", 5, "found \"hello\", wanted " + value);
    mistake("{\"b\":é}", 7, "found a letter, wanted " + value);
    mistake("{\"b\":'x'}", 5, "found \"'\", wanted " + value);
    mistake("{\"a\":,}", 5, "found \",\", wanted " + value);
    mistake("{\"a\":01}", 6, "a number must not begin with 0");
    mistake("{\"a\":+1}", 6, "a number must not begin with +");
    mistake("{\"a\":1.}", 7, "found \"}\", wanted a digit after the point of a number");
    mistake("{\"a\":1e}", 7, "found \"}\", wanted a digit in the exponent of a number");
    mistake("{\"a\":-}", 6, "found \"}\" in a number");
    mistake("{\"a\":NaN}", 8, "found NaN; a number that is not finite is a text: \"NaN\"");
    mistake("{\"a\":-Infinity}", 14, "found -Infinity; a number that is not finite is a text: \"-Infinity\"");
    mistake("{\"b\":\"x\ny\"}", 7, "found the control character \\n in a text; it must be escaped");
    mistake("{\"b\":\"\\q\"}", 7, "found \"q\" after a backslash in a text; the backslash itself is written as \\\\");
    mistake("{\"b\":\"\\u12x4\"}", 10, "found \"x\", wanted four hexadecimal digits after \\u");
    mistake("{/* a */}", 1, "it has a comment, which JSON does not know");
    bad("a int", "{\"b\":" + "[".repeat(100_000), "malformed JSON: it is nested more than 500 levels deep");
    bad("a int", "{\"a\":" + "1".repeat(2000) + "}", "malformed JSON: a number has more than 1000 characters");
    CHECK.equal("words that nobody knows", "it cannot be read", JsonMistakes.sentence("Something (code 7) from `Feature.X`"));
  }

  private static void mistake(String document, int at, String sentence) {
    bad("a int", document, "malformed JSON at byte " + at + ": " + sentence);
  }

  private static void scalars() throws Exception {
    again("t timestamp", "{\"t\":\"2026-01-01T00:00:00Z\"}", "{\"t\":\"2026-01-01T00:00:00Z\"}");
    again("t timestamp", "{\"t\":\"2026-01-01T01:30:00+01:30\"}", "{\"t\":\"2026-01-01T00:00:00Z\"}");
    again("t timestamp", "{\"t\":\"2026-01-01 00:00:00\"}", "{\"t\":\"2026-01-01T00:00:00Z\"}");
    again("t timestamp", "{\"t\":1500}", "{\"t\":\"1970-01-01T00:00:01.500Z\"}");
    again("t timestamp", "{\"t\":-1.001}", "{\"t\":\"1969-12-31T23:59:59.998999Z\"}");
    again("t timestamp_ntz", "{\"t\":\"2026-01-01T00:00:00.000001\"}", "{\"t\":\"2026-01-01T00:00:00.000001\"}");
    again("d date", "{\"d\":\"2024-02-29\"}", "{\"d\":\"2024-02-29\"}");
    again("b binary", "{\"b\":\"AP8=\"}", "{\"b\":\"AP8=\"}");
    again("d decimal(5,2)", "{\"d\":1.005}", "{\"d\":1.01}");
    again("d decimal(38,18)", "{\"d\":12345678901234567890}", "{\"d\":12345678901234567890.000000000000000000}");
    again("d decimal(5,2)", "{\"d\":1e-1000000000}", "{\"d\":0.00}");
    again("d double", "{\"d\":1e22}", "{\"d\":1e+22}");
    again("d double", "{\"d\":0.0001}", "{\"d\":0.0001}");
    again("d double", "{\"d\":0.00001}", "{\"d\":1e-05}");
    again("d double", "{\"d\":123456789.25}", "{\"d\":123456789.25}");
    again("d double", "{\"d\":2}", "{\"d\":2.0}");
    again("d double", "{\"d\":2e-3}", "{\"d\":0.002}");
    again("d double", "{\"d\":\"NaN\"}", "{\"d\":\"NaN\"}");
    again("f float", "{\"f\":\"-Infinity\"}", "{\"f\":\"-Infinity\"}");
    again("f float", "{\"f\":0.1}", "{\"f\":0.1}");
    again("n bigint", "{\"n\":-9223372036854775808}", "{\"n\":-9223372036854775808}");
    again("n tinyint, m smallint", "{\"n\":-128,\"m\":32767}", "{\"n\":-128,\"m\":32767}");
    CHECK.equal("scalar document", 7L, Serdes.json(DataTypes.LongType).decode(bytes("7")));
  }

  private static void text() throws Exception {
    textAgain("bigint", "-42");
    textAgain("int", "7");
    textAgain("string", "é ");
    textAgain("string", "");
    textAgain("double", "0.1");
    textAgain("double", "1e+22");
    textAgain("double", "nan");
    textAgain("double", "-inf");
    textAgain("boolean", "true");
    textAgain("timestamp", "2026-01-01T00:00:00Z");
    textAgain("date", "2026-01-01");
    textAgain("decimal(9,2)", "1.50");
    CHECK.equal("milliseconds", 5000L, textSerde("timestamp").decode(bytes("5")));
    CHECK.fails("word", BadRecord.class, "wanted a long, got the text \"x\"", () -> textSerde("bigint").decode(bytes("x")));
    CHECK.fails("empty", BadRecord.class, "wanted a long, got the text \"\"", () -> textSerde("bigint").decode(bytes("")));
    CHECK.fails("big", BadRecord.class, "9223372036854775808 is out of range for long",
      () -> textSerde("bigint").decode(bytes("9223372036854775808")));
    CHECK.fails("fraction", BadRecord.class, "wanted a double, got the text \"1d\"", () -> textSerde("double").decode(bytes("1d")));
    CHECK.fails("utf-8", BadRecord.class, "wanted text, got 1 bytes that are not UTF-8",
      () -> textSerde("string").decode(new byte[] {(byte) 0xff}));
    CHECK.fails("record", IllegalArgumentException.class, "type STRUCT<a: INT> has no text form; use JSON",
      () -> textSerde("a int"));
    CHECK.equal("default of a scalar", "42", string(Serdes.defaultFor(DataTypes.LongType).encode(42L)));
    CHECK.equal("default of a record", "{\"a\":null}",
      string(Serdes.defaultFor(DataType.fromDDL("a int")).encode(InternalRow.fromSeq(
        scala.jdk.javaapi.CollectionConverters.asScala(Arrays.<Object>asList((Object) null)).toSeq()))));
    CHECK.equal("default of bytes", "\u0001", string(Serdes.defaultFor(DataTypes.BinaryType).encode(new byte[] {1})));
  }

  private static void binaryIntegers() throws Exception {
    Serde int32 = serde("{\"format\":\"int32\",\"type\":\"long\"}");
    CHECK.equal("int32", "[0, 0, 1, 0]", Arrays.toString(int32.encode(256L)));
    CHECK.equal("int32 back", -2L, int32.decode(new byte[] {-1, -1, -1, -2}));
    CHECK.fails("int32 of 3 bytes", BadRecord.class, "wanted an int32 of 4 bytes, got 3 bytes", () -> int32.decode(new byte[3]));
    CHECK.fails("int32 overflow", IllegalArgumentException.class, "4294967296 is out of range for int32",
      () -> int32.encode(1L << 32));
    Serde int64 = serde("{\"format\":\"int64\",\"type\":\"integer\"}");
    CHECK.equal("int64", "[0, 0, 0, 0, 0, 0, 0, 5]", Arrays.toString(int64.encode(5)));
    CHECK.equal("int64 back", 5, int64.decode(new byte[] {0, 0, 0, 0, 0, 0, 0, 5}));
    CHECK.fails("int64 too big", BadRecord.class, "4294967296 is out of range for integer",
      () -> int64.decode(new byte[] {0, 0, 0, 1, 0, 0, 0, 0}));
    CHECK.equal("null", null, int64.decode(null));
    CHECK.equal("null out", null, int64.encode(null));
    CHECK.failsWith("unknown format", IllegalArgumentException.class, "unknown serde format 'avro'",
      () -> serde("{\"format\":\"avro\",\"type\":\"long\"}"));
  }

  private static void defaults() throws Exception {
    String type = "{\"type\":\"struct\",\"fields\":[{\"name\":\"n\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"default\":5}},"
      + "{\"name\":\"xs\",\"type\":{\"type\":\"array\",\"elementType\":\"string\",\"containsNull\":true},\"nullable\":true,"
      + "\"metadata\":{\"default\":[]}}]}";
    Serde serde = serde("{\"format\":\"json\",\"type\":" + type + "}");
    CHECK.equal("missing", "{\"n\":5,\"xs\":[]}", string(serde.encode(serde.decode(bytes("{}")))));
    CHECK.equal("null stays", "{\"n\":null,\"xs\":[]}", string(serde.encode(serde.decode(bytes("{\"n\":null}")))));
    CHECK.equal("given", "{\"n\":1,\"xs\":[\"a\"]}", string(serde.encode(serde.decode(bytes("{\"n\":1,\"xs\":[\"a\"]}")))));
    CHECK.failsWith("bad default", IllegalArgumentException.class, "default of field 'n': wanted a long, got the string \"x\"",
      () -> serde("{\"format\":\"json\",\"type\":" + type.replace(":5}", ":\"x\"}") + "}"));
  }

  private static void unsafeRows() throws Exception {
    StructType type = (StructType) DataType.fromDDL(
      "a bigint, s string, xs array<string>, m map<string,double>, r struct<d:decimal(38,18),t:timestamp>, b binary");
    String document = "{\"a\":1,\"s\":\"é\\\"\",\"xs\":[\"p\",null],\"m\":{\"k\":0.5},"
      + "\"r\":{\"d\":1.000000000000000000,\"t\":\"2026-01-01T00:00:00Z\"},\"b\":\"AA==\"}";
    Serde serde = copy(Serdes.json(type));
    InternalRow row = (InternalRow) serde.decode(bytes(document));
    CHECK.equal("unsafe row", document, string(copy(serde).encode(UnsafeProjection.create(type).apply(row))));
  }

  private static void again(String ddl, String document, String wanted) throws Exception {
    Serde serde = Serdes.json(record(ddl));
    byte[] written = serde.encode(serde.decode(bytes(document)));
    CHECK.equal(ddl + " of " + document, wanted, written == null ? null : string(written));
  }

  private static void textAgain(String ddl, String text) throws Exception {
    Serde serde = copy(textSerde(ddl));
    CHECK.equal("text " + ddl, text, string(serde.encode(serde.decode(bytes(text)))));
  }

  private static void bad(String ddl, String document, String message) {
    CHECK.fails(ddl + " of " + document.substring(0, Math.min(60, document.length())), BadRecord.class, message, () -> Serdes.json(record(ddl)).decode(bytes(document)));
  }

  private static void malformed(String document) {
    malformed(bytes(document));
  }

  private static void malformed(byte[] document) {
    String shown = string(document);
    CHECK.failsWith(shown.substring(0, Math.min(40, shown.length())), BadRecord.class, "malformed JSON at byte ",
      () -> Serdes.json(DataType.fromDDL("a int")).decode(document));
  }

  private static StructType record(String ddl) {
    return StructType.fromDDL(ddl);
  }

  private static Serde textSerde(String ddl) {
    return new TextSerde(DataType.fromDDL(ddl));
  }

  private static Serde serde(String json) throws Exception {
    return Serdes.of(MAPPER.readTree(json));
  }

  private static DataType type(String json) throws Exception {
    JsonNode node = MAPPER.readTree(json);
    return TypeJson.of(node);
  }

  private static Serde copy(Serde serde) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(serde);
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (Serde) in.readObject();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String string(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
