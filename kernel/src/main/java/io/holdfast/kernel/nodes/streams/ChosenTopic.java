package io.holdfast.kernel.nodes.streams;

import io.holdfast.kernel.records.OwnTopics;
import java.util.regex.Pattern;

/** Which names of topics a record may choose: those that Kafka takes and that nobody keeps for itself. */
record ChosenTopic(String app) {
  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

  /** What is wrong with a name; null if nothing is. */
  String wrong(String name) {
    if (!LEGAL.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      return "is no name of a topic: it may have up to 249 letters, digits, '.', '_' and '-'";
    }
    if (name.startsWith("__")) {
      return "is one of Kafka's own";
    }
    return OwnTopics.has(app, name) ? "is one that app '" + app + "' keeps for itself" : null;
  }
}
