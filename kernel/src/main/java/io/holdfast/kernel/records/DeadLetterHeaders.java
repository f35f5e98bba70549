package io.holdfast.kernel.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The headers of a dead letter: those of its record, whatever their names, and behind them the facts, which Holdfast adds.
 *
 * <p>Facts begin with the last {@link #FIRST}, so a header of the record is never mistaken for one. If the record has a header with the name
 * of a fact that the letter does not have, the fact is added without a value: so the last header of such a name is always Holdfast's.
 */
public final class DeadLetterHeaders {
  /** The first of the facts, which every letter has. */
  public static final String FIRST = HeaderNames.TOPIC;
  /** Those that only some letters have. */
  private static final Set<String> OPTIONAL =
      Set.of(HeaderNames.PORT, HeaderNames.PATH, HeaderNames.SEEN, HeaderNames.KEY, HeaderNames.VALUE, HeaderNames.REPLAYED, HeaderNames.ORIGINAL, HeaderNames.TIMESTAMP);

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

  /** Those that Holdfast adds. */
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
