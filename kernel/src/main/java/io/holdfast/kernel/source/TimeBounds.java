package io.holdfast.kernel.source;

import java.time.Instant;

/**
 * Which times records may have: those of the years 1970 to 9999, and none that is too far ahead of the clock.
 *
 * <p>No other code has to check: no sum of such a time and of durations, which are at most 10,000 years, overflows, not even in microseconds,
 * and Python's calendar has all of them.
 */
public final class TimeBounds {
  /** No limit: a time may be ahead by any length. */
  public static final long ANY = -1;
  public static final String BEYOND = "outside of the years 1970 to 9999";
  static final long LAST = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();
  private static final String[] UNITS = {"day", "hour", "minute", "second", "ms"};
  private static final long[] LENGTHS = {86_400_000, 3_600_000, 60_000, 1_000, 1};

  private TimeBounds() {}

  /** Whether the time is within the years 1970 to 9999. */
  public static boolean isPossible(long ms) {
    return ms >= 0 && ms <= LAST;
  }

  /** Returns the time; refuses one outside of the years 1970 to 9999. */
  public static long checked(long ms) {
    if (ms < 0) {
      throw new IllegalArgumentException("the time is before 1970: " + ms + " ms");
    }
    if (ms > LAST) {
      throw new IllegalArgumentException(
          "the time is too far in the future: " + ms + " ms is after the year 9999; milliseconds since 1970 were wanted");
    }
    return ms;
  }

  /** Whether a time is more ahead of the clock than is allowed. */
  public static boolean isAhead(long ms, long now, long maxAhead) {
    return maxAhead != ANY && ms - now > maxAhead;
  }

  /** Returns the time; refuses one that is too far ahead of the clock. */
  public static long notAhead(long ms, long now, long maxAhead) {
    if (isAhead(ms, now, maxAhead)) {
      throw new IllegalArgumentException("the time " + Instant.ofEpochMilli(ms) + " is " + words(ms - now) + " ahead of the clock, which said "
          + Instant.ofEpochMilli(now) + "; " + words(maxAhead) + " is allowed, max_ahead= of the source changes that");
    }
    return ms;
  }

  /** A length of time in its two largest units. */
  private static String words(long length) {
    StringBuilder out = new StringBuilder();
    long rest = length;
    for (int i = 0, said = 0; i < UNITS.length && said < 2; i++) {
      long n = rest / LENGTHS[i];
      rest %= LENGTHS[i];
      if (n > 0) {
        out.append(said++ > 0 ? " " : "").append(n).append(' ').append(UNITS[i]).append(n == 1 || i == UNITS.length - 1 ? "" : "s");
      }
    }
    return out.isEmpty() ? "0 ms" : out.toString();
  }
}
