package io.holdfast.kernel.records;

import java.util.Set;

/** The names of the topics that an app has for itself; holdfast/topics/own_topics.py has the same. */
public final class OwnTopics {
  private static final String META = "meta";
  private static final String MARKERS = "markers";
  private static final String EPOCHS = "epochs";
  private static final String DEAD_LETTERS = "dead-letters";
  private static final String REPLAY = "replay";
  private static final String TELEMETRY = "telemetry";
  private static final String SERVERS = "servers";
  private static final String CHANGELOG = "changelog";
  private static final Set<String> NAMES = Set.of(META, MARKERS, EPOCHS, DEAD_LETTERS, REPLAY, TELEMETRY, SERVERS);

  private OwnTopics() {}

  /** The topic for records that could not be processed. */
  public static String deadLetters(String app) {
    return app + "-" + DEAD_LETTERS;
  }

  /** The topic for dead letters that are replayed. */
  public static String replays(String app) {
    return app + "-" + REPLAY;
  }

  /** Whether nobody else may write to a topic. */
  public static boolean has(String app, String topic) {
    return topic.startsWith(app + "-") && (NAMES.contains(topic.substring(app.length() + 1)) || topic.endsWith("-" + CHANGELOG));
  }
}
