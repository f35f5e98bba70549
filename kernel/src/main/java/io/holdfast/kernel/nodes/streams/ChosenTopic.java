package io.holdfast.kernel.nodes.streams;

import java.util.Set;
import java.util.regex.Pattern;

/** Which names of topics a record may choose: those that are legal and not reserved, as in holdfast/topology/checks.py. */
record ChosenTopic(String app) {
  private static final Pattern LEGAL = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
  private static final Set<String> OWN = Set.of("meta", "markers", "epochs", "dead-letters", "replay");

  /** What is wrong with a name; null if nothing is. */
  String wrong(String name) {
    if (!LEGAL.matcher(name).matches() || name.equals(".") || name.equals("..")) {
      return "is no name of a topic: it may have up to 249 letters, digits, '.', '_' and '-'";
    }
    if (name.startsWith("__")) {
      return "is one of Kafka's own";
    }
    boolean own = name.startsWith(app + "-")
        && (OWN.contains(name.substring(app.length() + 1)) || name.endsWith("-changelog"));
    return own ? "is one that app '" + app + "' keeps for itself" : null;
  }
}
