package io.holdfast.kernel.sink;

import io.holdfast.kernel.records.DeadLetterHeaders;
import io.holdfast.kernel.records.DeliveryCheck;
import io.holdfast.kernel.records.HeaderNames;
import io.holdfast.kernel.records.OutputRow;
import io.holdfast.kernel.records.OwnTopics;
import io.holdfast.kernel.records.RawHeader;
import io.holdfast.kernel.records.TopicLimits;
import io.holdfast.kernel.source.KafkaLimits;
import java.util.List;
import java.util.Set;

/**
 * Makes dead letters fit the limits of their topic, whatever they are: a dead letter must never be refused.
 *
 * <p>A letter that is too large first loses the record as the node saw it, then the record itself, which is still where its headers say.
 */
final class DeadLetterTrimmer {
  /** The fact of a letter that does not have its record, because that is too large. */
  static final RawHeader ELSEWHERE = RawHeader.ofText(HeaderNames.ORIGINAL, "elsewhere");
  private static final Set<String> SEEN = Set.of(HeaderNames.SEEN, HeaderNames.KEY, HeaderNames.VALUE);
  private final String topic;
  private final TopicLimits limits;

  /**
   * @param topic of the app's dead letters
   */
  DeadLetterTrimmer(String topic, TopicLimits limits) {
    this.topic = topic;
    this.limits = limits;
  }

  static DeadLetterTrimmer of(SinkConfig config) {
    return new DeadLetterTrimmer(OwnTopics.deadLetters(config.query()), KafkaLimits.of(config.consumer()));
  }

  /** The row as it can be written: itself, if it is no dead letter or one that fits. */
  OutputRow fitted(OutputRow row) {
    return row.topic.equals(topic) ? fitted(row, limits.of(topic)) : row;
  }

  private static OutputRow fitted(OutputRow letter, TopicLimits.Limit limit) {
    OutputRow timely = timely(letter, limit);
    if (DeliveryCheck.fits(timely, limit)) {
      return timely;
    }
    List<RawHeader> own = DeadLetterHeaders.own(timely.headers);
    List<RawHeader> facts = DeadLetterHeaders.facts(timely.headers);
    facts.removeIf(fact -> SEEN.contains(fact.name()));
    OutputRow unseen = timely.with(timely.key, timely.value, DeadLetterHeaders.of(own, facts), timely.timestamp);
    if (DeliveryCheck.fits(unseen, limit)) {
      return unseen;
    }
    facts.add(ELSEWHERE);
    OutputRow referring = timely.with(timely.key, null, DeadLetterHeaders.of(List.of(), facts), timely.timestamp);
    return DeliveryCheck.fits(referring, limit) ? referring : timely.with(null, null, DeadLetterHeaders.of(List.of(), facts), timely.timestamp);
  }

  private static OutputRow timely(OutputRow letter, TopicLimits.Limit limit) {
    if (DeliveryCheck.timeRefusal(letter.topic, letter.timestamp, limit) == null) {
      return letter;
    }
    List<RawHeader> facts = DeadLetterHeaders.facts(letter.headers);
    facts.add(RawHeader.ofText(HeaderNames.TIMESTAMP, Long.toString(letter.timestamp)));
    return letter.with(letter.key, letter.value, DeadLetterHeaders.of(DeadLetterHeaders.own(letter.headers), facts), System.currentTimeMillis());
  }
}
