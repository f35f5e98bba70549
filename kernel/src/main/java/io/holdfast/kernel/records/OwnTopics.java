package io.holdfast.kernel.records;

/** The names of the topics that an app has for itself. */
public final class OwnTopics {
  private OwnTopics() {}

  /** The topic for records that could not be processed. */
  public static String deadLetters(String app) {
    return app + "-dead-letters";
  }

  /** The topic for dead letters that are replayed. */
  public static String replays(String app) {
    return app + "-replay";
  }
}
