package io.holdfast.kernel.serde;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What is wrong with a document that is not JSON, in the words of those who write documents, not of the parser. */
final class JsonMistakes {
  private static final String VALUE = "a value; a text needs double quotes";
  /** How the parser shows a character: {@code ('x' (code 120))} or {@code ((CTRL-CHAR, code 10))}. */
  private static final String CHARACTER = "\\(.*?code (\\d+)[^)]*\\)\\)";
  private static final Map<Pattern, Function<MatchResult, String>> SENTENCES = new LinkedHashMap<>();

  static {
    say("Unexpected end-of-input.*(?:close marker for|between) Object.*", found -> "it ends inside of an object: a } is missing");
    say("Unexpected end-of-input.*(?:close marker for|between) Array.*", found -> "it ends inside of an array: a ] is missing");
    say("Unexpected end-of-input.*(?:name|STRING|String value|escape).*", found -> "it ends inside of a text: a double quote is missing");
    say("Unexpected end-of-input.*", found -> "it ends before the value does");
    say("Unexpected character " + CHARACTER + ": (?:was )?expect(?:ing|ed) double-quote to start.*", found -> found(found) + ", wanted the name of a field in double quotes");
    say("Unexpected character " + CHARACTER + ": was expecting a colon.*", found -> found(found) + ", wanted : after the name of a field");
    say("Unexpected character " + CHARACTER + ": was expecting comma to separate Object.*", found -> found(found) + ", wanted , or } after a field");
    say("Unexpected character " + CHARACTER + ": was expecting comma to separate Array.*", found -> found(found) + ", wanted , or ] after an item");
    say("Unexpected character " + CHARACTER + ": expected a hex-digit.*", found -> found(found) + ", wanted four hexadecimal digits after \\u");
    say(".*have plus signs.*", found -> "a number must not begin with +");
    say("Unexpected character " + CHARACTER + " in numeric value: Decimal point not.*", found -> found(found) + ", wanted a digit after the point of a number");
    say("Unexpected character " + CHARACTER + " in numeric value: Exponent.*", found -> found(found) + ", wanted a digit in the exponent of a number");
    say("Unexpected character " + CHARACTER + " in numeric value.*", found -> found(found) + " in a number");
    say("Unexpected character " + CHARACTER + ": Expected space separating root-level.*", found -> found(found) + " follows the value");
    say("Unexpected character " + CHARACTER + ": maybe a \\(non-standard\\) comment.*", found -> "it has a comment, which JSON does not know");
    say("Unexpected character " + CHARACTER + ".*", found -> found(found) + ", wanted " + VALUE);
    say("Unexpected close marker '(.)': expected '(.)'.*", found -> "found " + found.group(1) + ", wanted " + found.group(2));
    say("Unexpected close marker '(.)'.*", found -> "found " + found.group(1) + ", which closes nothing");
    say("Unrecognized token '(.*)': was expecting.*", found -> "found " + BadRecord.quote(found.group(1)) + ", wanted " + VALUE);
    say("Illegal unquoted character " + CHARACTER + ".*", found -> found(found) + " in a text; it must be escaped");
    say("Illegal character " + CHARACTER + ".*", found -> found(found) + " between values");
    say("Unrecognized character escape .*code (\\d+).*", found -> found(found) + " after a backslash in a text; the backslash itself is written as \\\\");
    say("Non-standard token '([+-]?\\w+)'.*", found -> "found " + found.group(1) + "; a number that is not finite is a text: \"" + found.group(1) + '"');
    say("Invalid numeric value: Leading zeroes.*", found -> "a number must not begin with 0");
    // What is not UTF-8 was refused before: here it is a letter that begins no value.
    say("Invalid UTF-8.*", found -> "found a letter, wanted " + VALUE);
    say("Document nesting depth .* allowed \\((\\d+).*", found -> "it is nested more than " + found.group(1) + " levels deep");
    say("Number value length .* allowed \\((\\d+).*", found -> "a number has more than " + found.group(1) + " characters");
    say("BigDecimal scale .* allowed \\((\\d+).*", found -> "a number has more than " + found.group(1) + " digits after the point");
    say("Name length .* allowed \\((\\d+).*", found -> "the name of a field has more than " + found.group(1) + " characters");
    say(".*surrogate.*in field name.*", found -> "half of a surrogate pair in the name of a field");
  }

  private JsonMistakes() {}

  static BadRecord of(JsonProcessingException problem) {
    long at = problem.getLocation() == null ? -1 : problem.getLocation().getByteOffset();
    return BadRecord.malformed("malformed JSON" + (at < 0 ? "" : " at byte " + at) + ": " + sentence(problem.getOriginalMessage()));
  }

  /** What the parser says, said again; it has no more to say than that a document is not JSON where nobody knows its words. */
  static String sentence(String said) {
    String line = said.replaceAll("\\s+", " ");
    for (Map.Entry<Pattern, Function<MatchResult, String>> each : SENTENCES.entrySet()) {
      var match = each.getKey().matcher(line);
      if (match.matches()) {
        return each.getValue().apply(match.toMatchResult());
      }
    }
    return "it cannot be read";
  }

  private static void say(String pattern, Function<MatchResult, String> sentence) {
    SENTENCES.put(Pattern.compile(pattern, Pattern.DOTALL), sentence);
  }

  private static int code(MatchResult found) {
    return Integer.parseInt(found.group(1));
  }

  private static String found(MatchResult found) {
    int code = code(found);
    if (code == '"') {
      return "found a double quote";
    }
    return code < ' ' || code == 0x7f ? "found the control character " + escape(code) : "found " + BadRecord.quote(Character.toString(code));
  }

  private static String escape(int code) {
    return switch (code) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default -> String.format("\\u%04x", code);
    };
  }
}
