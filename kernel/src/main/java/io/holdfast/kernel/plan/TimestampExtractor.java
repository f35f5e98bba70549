package io.holdfast.kernel.plan;

import io.holdfast.kernel.source.TimeBounds;
import java.math.BigDecimal;
import java.math.RoundingMode;
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

/** Converts the result of a user's timestamp expression to milliseconds since 1970. */
final class TimestampExtractor {
  private final DataType type;
  private final ZoneId zone;

  TimestampExtractor(DataType type, String zone) {
    this.type = type;
    this.zone = ZoneId.of(zone);
  }

  /** Whether values of the type can be times. */
  static boolean isPossible(DataType type) {
    return type instanceof NumericType || type instanceof DatetimeType || type instanceof StringType;
  }

  /** A timestamp has a zone already: a text without a zone was read as UTC. */
  static void checkZone(DataType type, String zone) {
    if (type instanceof TimestampType && !zone.equals("UTC")) {
      throw new IllegalArgumentException("timezone=" + zone + " changes nothing for a TIMESTAMP, in which a time without a zone"
          + " was read as UTC; declare the field as text (str, STRING) or as TIMESTAMP_NTZ, or leave timezone= out if all"
          + " times have a zone");
    }
  }

  long of(Object value) {
    if (value == null) {
      throw new IllegalArgumentException("the time is null");
    }
    return TimeBounds.checked(millis(value));
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
      return whole(d.toJavaBigDecimal());
    }
    if (value instanceof Double || value instanceof Float) {
      return whole(((Number) value).doubleValue());
    }
    if (value instanceof Number n) {
      return n.longValue();
    }
    return text(value.toString().strip());
  }

  /** Clamps to the range of a long: without it, overflow could make a valid time. */
  private static long whole(BigDecimal ms) {
    return ms.min(BigDecimal.valueOf(Long.MAX_VALUE)).max(BigDecimal.valueOf(Long.MIN_VALUE)).setScale(0, RoundingMode.FLOOR).longValue();
  }

  private static long whole(double ms) {
    if (Double.isNaN(ms)) {
      throw new IllegalArgumentException("the time is not a number");
    }
    return (long) Math.floor(ms);
  }

  private long local(LocalDateTime time) {
    return time.atZone(zone).toInstant().toEpochMilli();
  }

  private long text(String text) {
    try {
      return parsed(text.indexOf(' ') == 10 ? text.replaceFirst(" ", "T") : text);
    } catch (DateTimeException bad) {
      throw new IllegalArgumentException("the time \"" + text + "\" is not ISO 8601");
    } catch (ArithmeticException beyond) {
      throw new IllegalArgumentException("the time \"" + text + "\" is " + TimeBounds.BEYOND);
    }
  }

  private long parsed(String iso) {
    try {
      return OffsetDateTime.parse(iso).toInstant().toEpochMilli();
    } catch (DateTimeParseException noZone) {
      return iso.length() == 10 ? local(java.time.LocalDate.parse(iso).atStartOfDay()) : local(LocalDateTime.parse(iso));
    }
  }
}
