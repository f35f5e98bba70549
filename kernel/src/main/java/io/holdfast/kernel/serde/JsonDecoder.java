package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.json.UTF8StreamJsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.sql.types.DataType;

/** Reads one JSON document from bytes into a Catalyst value, without a tree in between. */
final class JsonDecoder {
  private final JsonFactory factory = new Utf8Factory();
  private final JsonReader reader;
  private final AsciiJsonReader asciiReader;

  JsonDecoder(DataType type) {
    this.reader = JsonReaders.of(type);
    this.asciiReader = reader instanceof StructReader struct ? AsciiJsonReader.of(type, struct.defaults()) : null;
  }

  Object decode(byte[] bytes) throws BadRecord {
    Object row = asciiReader == null ? null : asciiReader.read(bytes);
    return row == null ? parsed(bytes) : row;
  }

  /** What the parser makes of any document. */
  Object parsed(byte[] bytes) throws BadRecord {
    Utf8Text.check(bytes);
    try (JsonParser parser = factory.createParser(bytes)) {
      JsonToken token = parser.nextToken();
      if (token == null) {
        throw BadRecord.malformed("malformed JSON at byte 0: there is no value");
      }
      Object value = token == JsonToken.VALUE_NULL ? null : reader.read(parser, token);
      if (parser.nextToken() != null) {
        throw BadRecord.malformed("malformed JSON at byte " + parser.currentTokenLocation().getByteOffset()
          + ": something follows the value");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw JsonMistakes.of(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // bytes in memory are always there
    }
  }

  /** Jackson's parser for UTF-8 alone: guessing UTF-16 from stray zero bytes would accept what is not JSON here. */
  private static final class Utf8Factory extends JsonFactory {
    Utf8Factory() {
      super(new JsonFactoryBuilder()
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
        .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER)
        .enable(StreamReadFeature.USE_FAST_BIG_NUMBER_PARSER)
        .streamReadConstraints(StreamReadConstraints.builder()
          .maxNestingDepth(500).maxStringLength(Integer.MAX_VALUE).build()));
    }

    @Override
    protected JsonParser _createParser(byte[] data, int offset, int length, IOContext context) {
      return new UTF8StreamJsonParser(context, _parserFeatures, null, _objectCodec,
        _byteSymbolCanonicalizer.makeChildOrPlaceholder(_factoryFeatures), data, offset, offset + length, 0, false);
    }
  }
}
