package io.holdfast.kernel.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The headers of a dead letter: those of its record, whatever their names, and behind them what we say of it, which is the facts.
 *
 * <p>Facts begin with the last {@link #FIRST}, so a header of the record is never taken for one. A fact that a letter does not have, though
 * its record has a header of that name, is there without a value: so the last header of a name is ours to everybody who looks for it.
 */
public final class DeadLetterHeaders {
  /** The first of the facts, which every letter has. */
  public static final String FIRST = "hf-topic";

  /** The time of the record, if the topic does not take it. */
  public static final String TIMESTAMP = "hf-timestamp";
  /** Those that only some letters have. */
  private static final Set<String> OPTIONAL =
      Set.of("hf-port", "hf-path", "hf-seen", "hf-key", "hf-value", "hf-replayed", "hf-original", TIMESTAMP);

  private DeadLetterHeaders() {}

  /** All of them. */
  public static RawHeader[] of(List<RawHeader> own, List<RawHeader> facts) {
    List<RawHeader> out = new ArrayList<>(own);
    out.addAll(facts);
    own.stream().map(RawHeader::name).distinct()
        .filter(name -> OPTIONAL.contains(name) && facts.stream().noneMatch(fact -> fact.name().equals(name)))
        .forEach(name -> out.add(new RawHeader(name, null)));
    return out.toArray(new RawHeader[0]);
  }

  /** Those of the record. */
  public static List<RawHeader> own(RawHeader[] letter) {
    return Arrays.asList(letter).subList(0, first(letter));
  }

  /** What we say of it. */
  public static List<RawHeader> facts(RawHeader[] letter) {
    List<RawHeader> out = new ArrayList<>(Arrays.asList(letter).subList(first(letter), letter.length));
    out.removeIf(fact -> fact.value() == null);
    return out;
  }

  private static int first(RawHeader[] letter) {
    int at = letter.length - 1;
    while (at > 0 && !letter[at].name().equals(FIRST)) {
      at--;
    }
    return at;
  }
}
