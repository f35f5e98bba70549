package io.holdfast.kernel.plan;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DatetimeType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The time of a record out of what the user's expression gave, in milliseconds since 1970. */
final class EventTime {
  /** The last millisecond of which the microseconds fit a long. */
  private static final long LAST = Long.MAX_VALUE / 1000;
  private final DataType type;
  private final ZoneId zone;

  EventTime(DataType type, String zone) {
    this.type = type;
    this.zone = ZoneId.of(zone);
  }

  /** Whether values of the type can be times. */
  static boolean isPossible(DataType type) {
    return type instanceof NumericType || type instanceof DatetimeType || type instanceof StringType;
  }

  long of(Object value) {
    if (value == null) {
      throw new IllegalArgumentException("the time is null");
    }
    long ms = possible(millis(value));
    if (ms < 0) {
      throw new IllegalArgumentException("the time is before 1970: " + ms + " ms");
    }
    return ms;
  }

  /** Whether one can count with the time: later ones, such as times in nanoseconds, are beyond what a window or a timestamp may have. */
  static boolean isPossible(long ms) {
    return ms <= LAST;
  }

  static long possible(long ms) {
    if (!isPossible(ms)) {
      throw new IllegalArgumentException("the time is too far in the future: " + ms + " ms");
    }
    return ms;
  }

  private long millis(Object value) {
    if (type instanceof TimestampType) {
      return Math.floorDiv((Long) value, 1000L);
    }
    if (type instanceof TimestampNTZType) {
      return local(LocalDateTime.ofEpochSecond(
          Math.floorDiv((Long) value, 1_000_000L), (int) Math.floorMod((Long) value, 1_000_000L) * 1000, ZoneOffset.UTC));
    }
    if (type instanceof DateType) {
      return local(java.time.LocalDate.ofEpochDay((Integer) value).atStartOfDay());
    }
    if (value instanceof Decimal d) {
      return d.toLong();
    }
    if (value instanceof Number n) {
      if (Double.isNaN(n.doubleValue())) {
        throw new IllegalArgumentException("the time is not a number");
      }
      return n.longValue();
    }
    return text(value.toString().strip());
  }

  private long local(LocalDateTime time) {
    return time.atZone(zone).toInstant().toEpochMilli();
  }

  private long text(String text) {
    String iso = text.indexOf(' ') == 10 ? text.replaceFirst(" ", "T") : text;
    try {
      return OffsetDateTime.parse(iso).toInstant().toEpochMilli();
    } catch (DateTimeParseException noZone) {
      try {
        return iso.length() == 10 ? local(java.time.LocalDate.parse(iso).atStartOfDay()) : local(LocalDateTime.parse(iso));
      } catch (DateTimeException bad) {
        throw new IllegalArgumentException("the time \"" + text + "\" is not ISO 8601");
      }
    }
  }
}
