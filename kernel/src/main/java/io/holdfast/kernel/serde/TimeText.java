package io.holdfast.kernel.serde;

import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.apache.spark.sql.catalyst.util.DateTimeUtils;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;

/** Timestamps and dates as ISO-8601 text, UTC where no zone is given. */
final class TimeText {
  static final String TYPE = "a timestamp";
  static final String WANTED = "a timestamp (\"2026-01-31T12:00:00Z\" or milliseconds)";
  private static final ZoneId UTC = ZoneOffset.UTC;
  private static final long SECOND = 1_000_000L;
  private static final long DAY = 86_400L * SECOND;

  private TimeText() {}

  /** Microseconds since 1970. */
  static Object timestamp(UTF8String text) throws BadRecord {
    return found(startsWithYear(text) ? DateTimeUtils.stringToTimestamp(text, UTC) : Option.empty(), WANTED, text);
  }

  /** Microseconds since 1970 of a time without zone. */
  static Object local(UTF8String text) throws BadRecord {
    Option<Object> micros = startsWithYear(text)
      ? DateTimeUtils.stringToTimestampWithoutTimeZone(text, false)
      : Option.empty();
    return found(micros, "a timestamp without zone (\"2026-01-31T12:00:00\" or milliseconds)", text);
  }

  /** Days since 1970. */
  static Object date(UTF8String text) throws BadRecord {
    Option<Object> days = startsWithYear(text) ? DateTimeUtils.stringToDate(text) : Option.empty();
    return found(days, "a date (\"2026-01-31\")", text);
  }

  private static Object found(Option<Object> value, String wanted, UTF8String text) throws BadRecord {
    if (value.isEmpty()) {
      throw BadRecord.wanted(wanted, "the string " + BadRecord.quote(text.toString()));
    }
    return value.get();
  }

  // Spark also accepts "12:30" as today at that time, and words like "now"; a value must not depend on the day of reading.
  private static boolean startsWithYear(UTF8String text) {
    int digits = 0;
    for (int i = 0; i < text.numBytes(); i++) {
      byte b = text.getByte(i);
      if (b >= '0' && b <= '9') {
        digits++;
      } else if (digits > 0 || (b != '+' && b != '-')) {
        return digits >= 4 && b == '-';
      }
    }
    return false;
  }

  /** Writes the timestamp; a fraction only when there is one. */
  static void write(long micros, boolean zoned, Utf8Buffer out) {
    write((int) Math.floorDiv(micros, DAY), out);
    long rest = Math.floorMod(micros, DAY);
    int seconds = (int) (rest / SECOND);
    out.put('T');
    out.digits(seconds / 3600, 2);
    out.put(':');
    out.digits(seconds / 60 % 60, 2);
    out.put(':');
    out.digits(seconds % 60, 2);
    fraction((int) (rest % SECOND), out);
    if (zoned) {
      out.put('Z');
    }
  }

  private static void fraction(int micros, Utf8Buffer out) {
    if (micros == 0) {
      return;
    }
    out.put('.');
    if (micros % 1000 == 0) {
      out.digits(micros / 1000, 3);
    } else {
      out.digits(micros, 6);
    }
  }

  /** Writes the date. */
  static void write(int days, Utf8Buffer out) {
    LocalDate date = LocalDate.ofEpochDay(days);
    int year = date.getYear();
    if (year < 0 || year > 9999) {
      out.put(year < 0 ? '-' : '+');
    }
    out.digits(Math.abs(year), Math.abs(year) > 99_999 ? 6 : Math.abs(year) > 9_999 ? 5 : 4);
    out.put('-');
    out.digits(date.getMonthValue(), 2);
    out.put('-');
    out.digits(date.getDayOfMonth(), 2);
  }
}
