package io.holdfast.kernel.nodes.windows;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.TemporalAdjusters;

/** Days, weeks or months as the clocks of a time zone have them. */
public final class CalendarWindows implements Windows {
  private static final long DAY = 86_400_000L;
  private final String unit;
  private final ZoneId zone;
  private final long grace;
  /** The window that was returned last: records of a time come together. */
  private transient volatile Span last;

  private record Span(long start, long end) {}

  public CalendarWindows(String unit, String zone, long grace) {
    this.unit = unit;
    this.zone = ZoneId.of(zone);
    this.grace = grace;
  }

  @Override
  public void of(long time, Visitor visitor) {
    Span span = last;
    if (span == null || time < span.start || time >= span.end) {
      LocalDate first = first(Instant.ofEpochMilli(time).atZone(zone).toLocalDate());
      span = new Span(beginning(first), beginning(next(first)));
      last = span;
    }
    visitor.window(span.start, span.end);
  }

  private long beginning(LocalDate day) {
    return day.atStartOfDay(zone).toInstant().toEpochMilli();
  }

  private LocalDate first(LocalDate day) {
    return switch (unit) {
      case "day" -> day;
      case "week" -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
      case "month" -> day.withDayOfMonth(1);
      default -> throw new IllegalArgumentException("unknown unit '" + unit + "'; wanted day, week or month");
    };
  }

  private LocalDate next(LocalDate first) {
    return switch (unit) {
      case "day" -> first.plusDays(1);
      case "week" -> first.plusWeeks(1);
      default -> first.plusMonths(1);
    };
  }

  @Override
  public long retention(long from, long to) {
    return to - from + grace;
  }

  @Override
  public long typicalRetention() {
    return (unit.equals("day") ? DAY : unit.equals("week") ? 7 * DAY : 30 * DAY) + grace;
  }

  @Override
  public boolean overlap() {
    return false;
  }
}
