package io.holdfast.kernel.records;

/** The names of the headers that Holdfast writes; holdfast/topics/header_names.py has the same. */
public final class HeaderNames {
  /** The topic of the record that a letter is of; what is said of a record begins with the last of these. */
  public static final String TOPIC = "hf-topic";

  /** Its partition there. */
  public static final String PARTITION = "hf-partition";

  /** Its offset there. */
  public static final String OFFSET = "hf-offset";

  /** The node that refused it. */
  public static final String NODE = "hf-node";

  /** Where the user wrote that node. */
  public static final String AT = "hf-at";

  /** Why it was refused. */
  public static final String REASON = "hf-reason";

  /** When, in milliseconds. */
  public static final String TIME = "hf-time";

  /** The time of the record, if the topic of letters does not take it. */
  public static final String TIMESTAMP = "hf-timestamp";

  /** By which input of the node it came. */
  public static final String PORT = "hf-port";

  /** What tells it from others that came of the same record. */
  public static final String PATH = "hf-path";

  /** Where that is which the node saw: "record" or "headers". */
  public static final String SEEN = "hf-seen";

  /** The key that the node saw. */
  public static final String KEY = "hf-key";

  /** The value that the node saw. */
  public static final String VALUE = "hf-value";

  /** "gone" or "elsewhere" if the letter does not have its record. */
  public static final String ORIGINAL = "hf-original";

  /** How often it came back. */
  public static final String REPLAYED = "hf-replayed";

  /** What of a replayed record is null. */
  public static final String NULL = "hf-null";

  /** The input of the node to which a record came late. */
  public static final String INPUT = "hf-input";

  /** The window for which it was late. */
  public static final String WINDOW_START = "hf-window-start";

  /** Its end. */
  public static final String WINDOW_END = "hf-window-end";

  /** How far time was. */
  public static final String STREAM_TIME = "hf-stream-time";

  /** The epoch of a record of a changelog. */
  public static final String EPOCH = "hf-epoch";

  private HeaderNames() {}
}
