package io.holdfast.judge;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.JoinWindows;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.SlidingWindows;
import org.apache.kafka.streams.kstream.TimeWindows;

/** Our windows as Kafka Streams'. */
final class Windows {
  private Windows() {}

  static TimeWindows time(Map<String, Object> window) {
    Duration size = duration(window, "size");
    TimeWindows made = TimeWindows.ofSizeAndGrace(size, duration(window, "grace"));
    return window.get("advance") == null ? made : made.advanceBy(duration(window, "advance"));
  }

  static SlidingWindows sliding(Map<String, Object> window) {
    return SlidingWindows.ofTimeDifferenceAndGrace(duration(window, "difference"), duration(window, "grace"));
  }

  static SessionWindows session(Map<String, Object> window) {
    return SessionWindows.ofInactivityGapAndGrace(duration(window, "gap"), duration(window, "grace"));
  }

  static JoinWindows join(Map<String, Object> node) {
    return JoinWindows.ofTimeDifferenceAndGrace(Duration.ZERO, duration(node, "grace"))
        .before(duration(node, "before"))
        .after(duration(node, "after"));
  }

  static EmitStrategy emit(Map<String, Object> window) {
    return "final".equals(window.get("emit")) ? EmitStrategy.onWindowClose() : EmitStrategy.onWindowUpdate();
  }

  /** A duration of a node; what is not said is nothing. */
  static Duration duration(Map<String, Object> node, String field) {
    return Duration.ofMillis(node.get(field) == null ? 0 : (Long) node.get(field));
  }
}
