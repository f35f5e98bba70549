package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/** Reads the value that starts at the parser's current token, which is never null. */
interface JsonReader {
  Object read(JsonParser parser, JsonToken token) throws IOException, BadRecord;

  /** What the token is, in words. */
  static String found(JsonParser parser, JsonToken token) throws IOException {
    return switch (token) {
      case VALUE_STRING -> "the string " + BadRecord.quote(parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + BadRecord.shorten(parser.getText());
      case VALUE_TRUE, VALUE_FALSE -> "the boolean " + parser.getText();
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      default -> "null";
    };
  }
}
