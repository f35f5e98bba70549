package io.holdfast.kernel.serde;

/** A record that cannot be read as its type: its message says where in the document, what was wanted and what came. */
public final class BadRecord extends Exception {
  private static final int LONGEST_QUOTE = 60;

  private enum Form { VALUE, MISSING, DOCUMENT }

  private final Form form;
  private final String problem;
  private String path = "";

  private BadRecord(Form form, String problem) {
    super(null, null, false, false);
    this.form = form;
    this.problem = problem;
  }

  /** A value that does not fit: "field 'a.b': " is put before the problem. */
  public static BadRecord value(String problem) {
    return new BadRecord(Form.VALUE, problem);
  }

  /** A value of another type than the one wanted. */
  public static BadRecord wanted(String wanted, String got) {
    return value("wanted " + wanted + ", got " + got);
  }

  /** A number that the type cannot hold. */
  public static BadRecord range(String number, String type) {
    return value(shorten(number) + " is out of range for " + type);
  }

  /** A required field that is absent. */
  public static BadRecord missing(String field) {
    return new BadRecord(Form.MISSING, "").in(field);
  }

  /** Bytes that are not a document at all. */
  public static BadRecord malformed(String problem) {
    return new BadRecord(Form.DOCUMENT, problem);
  }

  /** The same, inside a field of a record. */
  public BadRecord in(String field) {
    path = path.isEmpty() || path.startsWith("[") ? field + path : field + "." + path;
    return this;
  }

  /** The same, inside an item of an array. */
  public BadRecord at(int index) {
    path = path.isEmpty() || path.startsWith("[") ? "[" + index + "]" + path : "[" + index + "]." + path;
    return this;
  }

  @Override
  public String getMessage() {
    return switch (form) {
      case DOCUMENT -> problem;
      case MISSING -> "missing required field '" + path + "'";
      case VALUE -> path.isEmpty() ? problem : "field '" + path + "': " + problem;
    };
  }

  /** Text quoted for a message, truncated when long. */
  static String quote(String text) {
    return '"' + shorten(text).replace("\"", "\\\"").replaceAll("\\p{Cntrl}", "?") + '"';
  }

  static String shorten(String text) {
    return text.length() <= LONGEST_QUOTE ? text : text.substring(0, LONGEST_QUOTE) + "...";
  }
}
